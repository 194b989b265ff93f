package io.bsdb.cli.versions;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.live.LogReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks into the log of a writable table. */
@Command(
    name = "log",
    header = "Shows or verifies the log of a table that a process writes in place.",
    description = {
      "",
      "inspect prints a line for each file of the log whose changes are not published yet; verify"
          + " reads the log as opening the table does. Both change nothing, and may run beside the"
          + " process that writes.",
      "",
      "Exit status: 0, or 3 if the log is damaged; the message names file and offset.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {"  bsdb log inspect --table state", "  bsdb log verify --table state"})
public final class LogCommand extends TableCommand {
  /** Action of the command. */
  enum Action {
    INSPECT,
    VERIFY
  }

  @Parameters(index = "0", paramLabel = "ACTION", description = "inspect or verify.")
  private Action action;

  @Option(names = "--json", description = "With inspect: print a JSON array.")
  private boolean json;

  public LogCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    LogReport report = LogReport.read(table.directory());
    if (action == Action.INSPECT) {
      inspect(report);
    }
    String damage = report.damage();
    if (damage != null) {
      throw new CorruptSnapshotException(damage);
    }
    if (action == Action.VERIFY) {
      List<LogReport.Part> counting =
          report.segments().stream().filter(LogReport.Part::counts).toList();
      console.say(
          "the log is sound: files=%d frames=%d puts=%d deletes=%d",
          counting.size(),
          counting.stream().mapToLong(LogReport.Part::frames).sum(),
          counting.stream().mapToLong(LogReport.Part::puts).sum(),
          counting.stream().mapToLong(LogReport.Part::deletes).sum());
    }
    return ExitStatus.OK;
  }

  private void inspect(LogReport log) throws IOException {
    List<Map<String, @Nullable Object>> list = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (LogReport.Part part : log.segments()) {
      Report report =
          new Report()
              .add("file", part.file())
              .add("number", part.number())
              .add("fileId", part.fileId().toString())
              .add("counts", part.counts())
              .add("continues", part.continues() == null ? null : part.continues().toString())
              .add("length", part.length())
              .add("end", part.end())
              .add("durable", part.durable())
              .add("frames", part.frames())
              .add("puts", part.puts())
              .add("deletes", part.deletes());
      list.add(report.asMap());
      lines.add(report.line().strip());
    }
    String answer = json ? Report.json(list) : Report.lines(lines);
    console.out().write(answer.getBytes(StandardCharsets.UTF_8));
  }
}
