package io.bsdb.cli;

import io.bsdb.format.Manifest;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists what a table holds. */
@Command(
    name = "versions",
    sortOptions = false,
    abbreviateSynopsis = true,
    header = "Lists the versions of a table, oldest first.",
    description = {"", "A star marks the version in service.", ""},
    footerHeading = "%nExample:%n",
    footer = "  bsdb versions --table places")
final class VersionsCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private TableArgument table;

  @Option(names = "--json", description = "Print a JSON array.")
  private boolean json;

  VersionsCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    Table opened = table.open();
    String current = opened.currentVersion();
    StringBuilder text = new StringBuilder();
    List<Map<String, @Nullable Object>> list = new ArrayList<>();
    for (String version : opened.versions()) {
      Manifest manifest = opened.manifest(version);
      boolean inService = version.equals(current);
      text.append(
          String.format(
              Locale.ROOT,
              "%s %s  %s  %,d records  %s%n",
              inService ? "*" : " ",
              version,
              manifest.createdAt(),
              manifest.recordCount(),
              ByteSize.format(manifest.length())));
      list.add(
          new Report()
              .add("version", version)
              .add("inService", inService)
              .add("createdAt", manifest.createdAt().toString())
              .add("records", manifest.recordCount())
              .add("bytes", manifest.length())
              .asMap());
    }
    String answer = json ? Report.json(list) : text.toString();
    console.out().write(answer.getBytes(StandardCharsets.UTF_8));
    return ExitStatus.OK;
  }
}
