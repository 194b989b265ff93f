package io.bsdb.cli.versions;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.table.TableCommand;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Forgets a stream that is recorded in a table. */
@Command(
    name = "end-stream",
    header = "Forgets a stream whose Flink job has stopped for good.",
    description = {
      "",
      "The rows stay. Afterwards the table can be built again without --keep-changes-after, and a"
          + " job that reads its sources from their start can begin the stream again. A job that"
          + " still writes the stream fails at its next checkpoint.",
      ""
    },
    footerHeading = "%nExample:%n",
    footer = "  bsdb end-stream --table customers default")
public final class EndStreamCommand extends TableCommand {
  @Parameters(
      paramLabel = "NAME",
      description = "Name of the stream: 'sink.stream' of the job, 'default' unless set.")
  private String name;

  public EndStreamCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    String version = table.open().endStream(name).version();
    console.say("%s is in service and does not record '%s'", version, name);
    console.answer(version + "\n", version + " is in service all the same");
    return ExitStatus.OK;
  }
}
