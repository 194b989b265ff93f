package io.bsdb.cli;

import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells what a snapshot is made of. */
@Command(
    name = "inspect",
    sortOptions = false,
    abbreviateSynopsis = true,
    header = "Shows the manifest and what takes how much space.",
    description = {
      "",
      "Of the snapshot in service; DIR may also be the directory of one snapshot. Reads no records.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {"  bsdb inspect --table places", "  bsdb inspect --table places --json | jq .parts"})
final class InspectCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private TableArgument table;

  @Option(names = "--partitions", description = "Show each partition.")
  private boolean partitions;

  @Option(names = "--json", description = "Print everything as JSON.")
  private boolean json;

  InspectCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    Path snapshot = SnapshotDirectory.of(table.directory());
    Manifest manifest = SnapshotDirectory.manifest(snapshot);
    SnapshotParts parts = SnapshotParts.of(snapshot, manifest);
    String answer = json ? json(manifest, parts) : text(snapshot, manifest, parts);
    console.out().write(answer.getBytes(StandardCharsets.UTF_8));
    return ExitStatus.OK;
  }

  private String text(Path snapshot, Manifest manifest, SnapshotParts parts) {
    StringBuilder text = new StringBuilder();
    line(text, "snapshot", "%s", snapshot);
    line(text, "id", "%s", manifest.snapshotId());
    line(text, "created", "%s", manifest.createdAt());
    line(
        text,
        "records",
        "%,d in %d partitions",
        manifest.recordCount(),
        manifest.partitions().size());
    line(
        text,
        "size",
        "%s, %.1f bytes per record",
        ByteSize.format(manifest.length()),
        perRecord(manifest, manifest.length()));
    line(text, "keys", "%.1f bytes on average", perRecord(manifest, keyBytes(manifest)));
    line(text, "values", "%.1f bytes on average", perRecord(manifest, valueBytes(manifest)));
    if (manifest.schema() != null) {
      line(text, "schema", "%s", manifest.schema());
    }
    group(text, "option", manifest.options());
    group(text, "property", manifest.properties());
    group(text, "source", manifest.sourcePositions());
    parts
        .bytes()
        .forEach(
            (part, bytes) ->
                line(
                    text,
                    "part",
                    "%-15s %14s %6.2f %% %10.2f bits per record",
                    part,
                    ByteSize.format(bytes),
                    100.0 * bytes / Math.max(1, manifest.length()),
                    8 * perRecord(manifest, bytes)));
    if (partitions) {
      for (PartitionFile file : manifest.partitions()) {
        line(
            text,
            "partition",
            "%s %,d records, %s",
            file.name(),
            file.recordCount(),
            ByteSize.format(file.length()));
      }
    }
    return text.toString();
  }

  private static void group(StringBuilder text, String label, Map<String, String> entries) {
    entries.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> line(text, label, "%s=%s", entry.getKey(), entry.getValue()));
  }

  private static void line(
      StringBuilder text, String label, String format, @Nullable Object... arguments) {
    text.append(String.format(Locale.ROOT, "%-10s", label))
        .append(String.format(Locale.ROOT, format, arguments))
        .append('\n');
  }

  private static String json(Manifest manifest, SnapshotParts parts) {
    return new Report()
        .add("version", manifest.version())
        .add("snapshotId", manifest.snapshotId().toString())
        .add("createdAt", manifest.createdAt().toString())
        .add("records", manifest.recordCount())
        .add("bytes", manifest.length())
        .add("keyBytes", keyBytes(manifest))
        .add("valueBytes", valueBytes(manifest))
        .add("schema", manifest.schema() == null ? null : manifest.schema().toJson())
        .add("options", manifest.options())
        .add("properties", manifest.properties())
        .add("sourcePositions", manifest.sourcePositions())
        .add("parts", parts.bytes())
        .add("partitions", manifest.partitions())
        .json();
  }

  private static double perRecord(Manifest manifest, long bytes) {
    return (double) bytes / Math.max(1, manifest.recordCount());
  }

  private static long keyBytes(Manifest manifest) {
    return manifest.partitions().stream().mapToLong(PartitionFile::keyBytes).sum();
  }

  private static long valueBytes(Manifest manifest) {
    return manifest.partitions().stream().mapToLong(PartitionFile::valueBytes).sum();
  }
}
