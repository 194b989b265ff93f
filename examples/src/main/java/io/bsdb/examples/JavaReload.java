package io.bsdb.examples;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reload.Publish;
import io.bsdb.reload.ReloadReport;
import io.bsdb.reload.TableReload;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Loads a table again from all of its rows, and publishes only what differs, in plain Java. */
public final class JavaReload {
  private JavaReload() {}

  /** Runs it with the directory of a table to build, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(Path.of(arguments.length > 0 ? arguments[0] : "colours"), System.out);
  }

  static void run(Path table, PrintStream out) throws IOException {
    WriterOptions options = WriterOptions.defaults();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (String flower : new String[] {"rose", "violet", "lily", "tulip", "daisy"}) {
        writer.add(bytes(flower), bytes("white"));
      }
      writer.publish();
    }

    Map<String, String> rows =
        Map.of(
            "rose", "red", "violet", "white", "lily", "white", "tulip", "white", "daisy", "white");
    try (var reload = TableReload.begin(table, options, Publish.AUTO)) {
      for (Map.Entry<String, String> row : rows.entrySet()) {
        reload.add(bytes(row.getKey()), bytes(row.getValue()));
      }
      ReloadReport report = reload.publish();
      ReloadReport.Difference difference = report.difference();
      if (difference != null) {
        out.println("changed: " + difference.changed() + ", the same: " + difference.same());
      }
    }

    try (SnapshotReader reader = SnapshotReader.open(table)) {
      out.println("rose: " + text(reader.get(bytes("rose"))));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte @Nullable [] value) {
    return value == null ? "absent" : new String(value, StandardCharsets.UTF_8);
  }
}
