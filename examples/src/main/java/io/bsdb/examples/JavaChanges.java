package io.bsdb.examples;

import io.bsdb.compact.Compactor;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes single keys of a table that is being read, and compacts it, in plain Java. */
public final class JavaChanges {
  private JavaChanges() {}

  /** Runs it with the directory of a table to build, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(Path.of(arguments.length > 0 ? arguments[0] : "colours"), System.out);
  }

  static void run(Path table, PrintStream out) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(table, WriterOptions.defaults())) {
      writer.add(bytes("rose"), bytes("red"));
      writer.add(bytes("violet"), bytes("blue"));
      writer.publish();
    }

    try (TableReader live = TableReader.builder(table).refreshEvery(Duration.ofSeconds(1)).open()) {
      try (DeltaWriter changes = DeltaWriter.create(Table.at(table))) {
        changes.put(bytes("rose"), bytes("white"));
        changes.delete(bytes("violet"));
        changes.position("colours-0", "4711"); // how far the source was read, if there is one
        changes.publish(); // all of it at once; without it nothing
      }
      live.refresh(); // does not wait for the second
      out.println("rose: " + text(live.get(bytes("rose"))));
      out.println("violet: " + text(live.get(bytes("violet"))));
    }

    Map<String, String> positions =
        Table.at(table).manifest(Table.at(table).requireCurrentVersion()).sourcePositions();
    out.println("continue after " + positions);

    Compactor.Result result = new Compactor(table).maxBytesPerSecond(50L << 20).run();
    out.println("partitions folded: " + result.foldedPartitions());
    Table.at(table).prune(3); // deletes older versions, and files that only they used
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte @Nullable [] value) {
    return value == null ? "absent" : new String(value, StandardCharsets.UTF_8);
  }
}
