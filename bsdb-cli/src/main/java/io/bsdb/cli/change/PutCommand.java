package io.bsdb.cli.change;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.RecordText;
import io.bsdb.cli.table.TableCommand;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets one record. */
@Command(
    name = "put",
    header = "Sets the record of one key, and puts that in service.",
    description = {
      "",
      "Key and value are written as 'get' reads and prints them. In a table with a schema the value"
          + " is the row as a JSON object with all columns; those of the key may be left out.",
      "",
      "Each call publishes a version. Use 'apply' for more than a few.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb put --table colours -- rose red",
      "  bsdb put --table prices -- 'DE,4711' '{\"price\": 12.50, \"currency\": \"EUR\"}'"
    })
public final class PutCommand extends TableCommand {
  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How key and value are written, if the table has no schema: utf8, hex or base64. Default:"
              + " utf8.")
  private @Nullable Encoding encoding;

  @Option(names = "--json", description = "Print what was done as JSON.")
  private boolean json;

  @Parameters(index = "0", paramLabel = "KEY", description = "Key of the record.")
  private String key;

  @Parameters(index = "1", paramLabel = "VALUE", description = "Its new value.")
  private String value;

  public PutCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    try (Delta delta = Delta.begin(table.open())) {
      RecordText text = RecordText.of(delta.schema(), encoding);
      delta.put(text.parseKey(key), text.parseValue(key, value));
      delta.publish(Map.of(), console, json);
    }
    return ExitStatus.OK;
  }
}
