package io.bsdb.cli.read;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.table.SnapshotDirectory;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.table.SnapshotParts;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints what a snapshot is made of. */
@Command(
    name = "inspect",
    header = "Shows the manifest and what takes how much space.",
    description = {
      "",
      "Shows the snapshot in service; DIR may also be the directory of one snapshot. Reads no records,"
          + " except for --histograms. If there are changes over the partition files, the number of"
          + " records is known only by --histograms, which counts them.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb inspect --table places",
      "  bsdb inspect --table places --partitions --histograms",
      "  bsdb inspect --table places --json | jq .parts"
    })
public final class InspectCommand extends TableCommand {
  @Option(names = "--partitions", description = "Show each partition, and each segment of changes.")
  private boolean partitions;

  @Option(
      names = "--histograms",
      description = "Read all records, and show how long keys and values are.")
  private boolean histograms;

  @Option(names = "--json", description = "Print everything as JSON.")
  private boolean json;

  public InspectCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    String answer = SnapshotDirectory.read(table.directory(), this::inspect);
    console.out().write(answer.getBytes(StandardCharsets.UTF_8));
    return ExitStatus.OK;
  }

  private String inspect(Path snapshot) throws IOException {
    Manifest manifest = SnapshotDirectory.manifest(snapshot);
    Map<PartitionFile, SnapshotParts> parts = new LinkedHashMap<>();
    for (PartitionFile file : manifest.partitions()) {
      parts.put(file, SnapshotParts.of(SnapshotDirectory.file(snapshot, file), file));
    }
    RecordLengths lengths = histograms ? RecordLengths.of(snapshot, manifest, console) : null;
    SymbolSavings symbols = SymbolSavings.of(snapshot, manifest);
    SnapshotReport report = new SnapshotReport(snapshot, manifest, parts, symbols, lengths);
    return json ? report.json() : report.text(partitions);
  }
}
