package io.bsdb.cli.change;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
import io.bsdb.cli.table.TableCommand;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes keys. */
@Command(
    name = "delete",
    header = "Deletes keys, and puts that in service as one version.",
    description = {"", "Keys are written as for 'get'. A key that is absent is no error.", ""},
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb delete --table colours -- rose violet",
      "  bsdb delete --table prices -- 'DE,4711' '[\"DE\", 4712]'"
    })
public final class DeleteCommand extends TableCommand {
  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How keys are written, if the table has no schema: utf8, hex or base64. Default: utf8.")
  private @Nullable Encoding encoding;

  @Option(names = "--json", description = "Print what was done as JSON.")
  private boolean json;

  @Parameters(arity = "1..*", paramLabel = "KEY", description = "Keys to delete.")
  private List<String> keys;

  public DeleteCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    try (Delta delta = Delta.begin(table.open())) {
      RecordText text = RecordText.of(delta.schema(), encoding);
      for (String key : keys) {
        delta.delete(text.parseKey(key));
      }
      delta.publish(Map.of(), console, json);
    }
    return ExitStatus.OK;
  }
}
