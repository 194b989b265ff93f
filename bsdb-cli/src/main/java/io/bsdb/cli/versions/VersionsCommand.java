package io.bsdb.cli.versions;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.cli.table.VersionText;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.table.Table;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists what a table holds. */
@Command(
    name = "versions",
    header = "Lists the versions of a table, oldest first.",
    description = {
      "",
      "A star marks the version in service; there is none if CURRENT is damaged or missing."
          + " Versions that differ by changes share partition files and segments.",
      "",
      "Exit status: 0, or 3 if there is no version, or if CURRENT or a manifest is damaged or"
          + " missing; the others are listed.",
      ""
    },
    footerHeading = "%nExample:%n",
    footer = "  bsdb versions --table places")
public final class VersionsCommand extends TableCommand {
  @Option(names = "--json", description = "Print a JSON array.")
  private boolean json;

  private boolean damage;

  public VersionsCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    Table opened = table.open();
    String current = null;
    boolean known = true;
    try {
      current = opened.currentVersion();
    } catch (CorruptSnapshotException | NoSuchFileException e) {
      known = false;
      damaged(e);
    }
    StringBuilder text = new StringBuilder();
    List<Map<String, @Nullable Object>> list = new ArrayList<>();
    List<String> versions = opened.versions();
    if (versions.isEmpty() && known) {
      opened.requireCurrentVersion(); // says that there is none
    }
    for (String version : versions) {
      boolean inService = version.equals(current);
      text.append(inService ? "* " : "  ").append(version);
      Report report = new Report().add("version", version);
      report.add("inService", known ? inService : null);
      try {
        describe(opened.manifest(version), text, report);
      } catch (CorruptSnapshotException e) {
        damaged(e);
        text.append("  manifest damaged");
        report.add("damage", e.getMessage());
      }
      text.append('\n');
      list.add(report.asMap());
    }
    String answer = json ? Report.json(list) : text.toString();
    console.out().write(answer.getBytes(StandardCharsets.UTF_8));
    return damage ? ExitStatus.UNREADABLE : ExitStatus.OK;
  }

  private static void describe(Manifest manifest, StringBuilder text, Report report) {
    text.append("  %s  %s".formatted(manifest.createdAt(), VersionText.of(manifest)));
    if (manifest.validity() != null) {
      text.append("  ").append(VersionText.history(manifest.validity(), manifest.changes()));
    }
    VersionFacts facts = new VersionFacts(manifest);
    report
        .add("createdAt", manifest.createdAt().toString())
        .addAll(facts.figures())
        .addAll(facts.history());
  }

  /** Reports a damaged version and goes on: the user may be about to choose one to go back to. */
  private void damaged(IOException e) {
    damage = true;
    console.say("bsdb: %s", e.getMessage());
  }
}
