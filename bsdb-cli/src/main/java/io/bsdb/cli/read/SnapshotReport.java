package io.bsdb.cli.read;

import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.VersionText;
import io.bsdb.format.Figures;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.symbols.SymbolTable;
import io.bsdb.table.SnapshotParts;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.Validity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Report on a snapshot.
 *
 * @param parts of each partition file, in order
 * @param symbols bytes that symbol tables save; null if there are none
 * @param lengths of keys and values; null unless requested
 */
record SnapshotReport(
    Path snapshot,
    Manifest manifest,
    Map<PartitionFile, SnapshotParts> parts,
    @Nullable SymbolSavings symbols,
    @Nullable RecordLengths lengths) {

  /** Returns the report for people. */
  String text(boolean eachPartition) {
    StringBuilder text = new StringBuilder();
    Collection<PartitionFile> files = manifest.partitions();
    VersionFacts facts = new VersionFacts(manifest);
    SnapshotParts all = SnapshotParts.sum(parts.values());
    line(text, "snapshot", "%s", snapshot);
    line(text, "id", "%s", manifest.snapshotId());
    line(text, "created", "%s", manifest.createdAt());
    if (manifest.parent() != null) {
      line(text, "follows", "%s", manifest.parent());
    }
    line(
        text,
        "records",
        "%,d in %s",
        manifest.recordCount(),
        Figures.count(files.size(), manifest.hasChanges() ? "partition file" : "partition"));
    if (manifest.hasChanges()) {
      line(text, "changes", "%s", VersionText.changes(manifest));
    }
    line(
        text,
        "size",
        "%s, %.1f bytes per record",
        Figures.size(manifest.length()),
        perRecord(manifest.length()));
    line(text, "keys", "%.1f bytes on average", perRecord(facts.keyBytes()));
    line(text, "values", "%.1f bytes on average", perRecord(facts.valueBytes()));
    line(
        text,
        "data",
        "%s stored in %s of blocks: %.1f %%",
        Figures.size(storedBytes(files)),
        Figures.size(all.bytes(SectionKind.BLOCKS)),
        100 * ratio(all, files));
    if (manifest.order() == RecordOrder.KEY) {
      Validity validity = manifest.validity();
      line(
          text,
          "order",
          "by key%s",
          validity == null ? "" : ", " + VersionText.history(validity, manifest.changes()));
    }
    if (manifest.schema() != null) {
      line(text, "schema", "%s", manifest.schema());
    }
    group(text, "option", manifest.options());
    group(text, "property", manifest.properties());
    group(text, "source", manifest.sourcePositions());
    all.bytes()
        .forEach(
            (part, bytes) ->
                line(
                    text,
                    "part",
                    "%-15s %14s %6.2f %% %10.2f bits per record",
                    part,
                    Figures.size(bytes),
                    100.0 * bytes / Math.max(1, manifest.length()),
                    8 * perRecord(bytes)));
    if (symbols != null) {
      symbols.strings().forEach(saving -> symbols(text, saving));
    }
    if (eachPartition) {
      parts.forEach((file, sections) -> partition(text, file, sections));
      manifest.changes().segments().forEach(segment -> segment(text, segment));
    }
    if (lengths != null) {
      line(
          text,
          "counted",
          "%s, with all changes applied",
          Figures.count(lengths.records(), "record"));
      text.append(lengths.keys().text("key")).append(lengths.values().text("value"));
    }
    return text.toString();
  }

  private void partition(StringBuilder text, PartitionFile file, SnapshotParts sections) {
    long records = Math.max(1, file.recordCount());
    line(
        text,
        "partition",
        "%s %s, %s, %.1f bytes per record, hash %.2f and index %.2f bits per record, data"
            + " at %.1f %%%s, file id %s",
        file.name(),
        Figures.count(file.recordCount(), "record"),
        Figures.size(file.length()),
        (double) file.length() / records,
        8.0 * sections.bytes(SectionKind.PERFECT_HASH) / records,
        8.0 * sections.bytes(SectionKind.BLOCK_INDEX) / records,
        100 * ratio(sections, List.of(file)),
        file.foldedThrough() == 0 ? "" : ", folded through segment " + file.foldedThrough(),
        file.fileId());
  }

  private static void symbols(StringBuilder text, SymbolSavings.Saving saving) {
    SymbolTable table = saving.table();
    if (table == null) {
      line(text, "symbols", "%-15s as it is: no table saves anything", saving.string());
    } else {
      line(
          text,
          "symbols",
          "%-15s %3d %% of its bytes, with %d symbols, %,d bytes per partition file",
          saving.string(),
          table.percent(),
          table.count(),
          table.encodedLength());
    }
  }

  private static void segment(StringBuilder text, SegmentFile segment) {
    line(
        text,
        "segment",
        "%s number %,d, %s, %s, %s",
        segment.path(),
        segment.number(),
        Figures.count(segment.puts(), "put"),
        Figures.count(segment.deletes(), "delete"),
        Figures.size(segment.length()));
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

  /** Returns the report for programs: one JSON object. */
  String json() {
    SnapshotParts all = SnapshotParts.sum(parts.values());
    Report report =
        new Report()
            .add("version", manifest.version())
            .add("parent", manifest.parent())
            .add("snapshotId", manifest.snapshotId().toString())
            .add("createdAt", manifest.createdAt().toString());
    VersionFacts facts = new VersionFacts(manifest);
    report
        .addAll(facts.figures())
        .add("keyBytes", facts.keyBytes())
        .add("valueBytes", facts.valueBytes())
        .add("compressionRatio", ratio(all, manifest.partitions()))
        .add("order", facts.order())
        .addAll(facts.history())
        .add("schema", manifest.schema() == null ? null : manifest.schema().toJson())
        .add("options", manifest.options())
        .add("properties", manifest.properties())
        .add("sourcePositions", manifest.sourcePositions())
        .add("parts", all.bytes())
        .add("partitions", partitions())
        .add("segmentFiles", segments());
    if (symbols != null) {
      report.add("symbols", symbolTables(symbols));
    }
    if (lengths != null) {
      report.add("countedRecords", lengths.records());
      report.add("keyLengths", lengths.keys().figures());
      report.add("valueLengths", lengths.values().figures());
    }
    return report.json();
  }

  private List<Map<String, @Nullable Object>> partitions() {
    List<Map<String, @Nullable Object>> partitions = new ArrayList<>();
    parts.forEach(
        (file, sections) ->
            partitions.add(
                new Report()
                    .add("file", file.name())
                    .add("version", file.version() == null ? manifest.version() : file.version())
                    .add("foldedThrough", file.foldedThrough())
                    .add("fileId", file.fileId().toString())
                    .add("bytes", file.length())
                    .add("checksum", SnapshotFormat.hex(file.checksum()))
                    .add("records", file.recordCount())
                    .add("keyBytes", file.keyBytes())
                    .add("valueBytes", file.valueBytes())
                    .add("compressionRatio", ratio(sections, List.of(file)))
                    .add("parts", sections.bytes())
                    .asMap()));
    return partitions;
  }

  private static List<Map<String, @Nullable Object>> symbolTables(SymbolSavings symbols) {
    List<Map<String, @Nullable Object>> tables = new ArrayList<>();
    for (SymbolSavings.Saving saving : symbols.strings()) {
      SymbolTable table = saving.table();
      Report report = new Report().add("string", saving.string()).add("file", symbols.file());
      if (table != null) {
        report
            .add("percent", table.percent())
            .add("symbols", table.count())
            .add("bytes", table.encodedLength());
      }
      tables.add(report.asMap());
    }
    return tables;
  }

  private List<Map<String, @Nullable Object>> segments() {
    List<Map<String, @Nullable Object>> segments = new ArrayList<>();
    for (SegmentFile segment : manifest.changes().segments()) {
      segments.add(
          new Report()
              .add("file", segment.path())
              .add("number", segment.number())
              .add("fileId", segment.fileId().toString())
              .add("bytes", segment.length())
              .add("checksum", SnapshotFormat.hex(segment.checksum()))
              .add("puts", segment.puts())
              .add("deletes", segment.deletes())
              .asMap());
    }
    return segments;
  }

  /** Returns the bytes of blocks per byte of the keys and values in them. */
  private double ratio(SnapshotParts sections, Collection<PartitionFile> files) {
    return (double) sections.bytes(SectionKind.BLOCKS) / Math.max(1, storedBytes(files));
  }

  private long storedBytes(Collection<PartitionFile> files) {
    boolean omitted = manifest.hasKeysOmitted();
    return files.stream()
        .mapToLong(file -> file.valueBytes() + (omitted ? 0 : file.keyBytes()))
        .sum();
  }

  private double perRecord(long bytes) {
    return (double) bytes / Math.max(1, manifest.recordCount());
  }
}
