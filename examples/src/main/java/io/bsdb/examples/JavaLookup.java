package io.bsdb.examples;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Builds a table and looks keys up in it, in plain Java. */
public final class JavaLookup {
  private JavaLookup() {}

  /** Runs it with the directory of a table to build, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(Path.of(arguments.length > 0 ? arguments[0] : "colours"), System.out);
  }

  static void run(Path table, PrintStream out) throws IOException {
    build(table, "red");

    // One version, which stays as it is.
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      out.println("rose: " + text(reader.get(bytes("rose"))));
      out.println("unicorn: " + text(reader.get(bytes("unicorn"))));
    }

    // Whatever version is in service: a new one is opened in the background, then swapped in.
    try (TableReader live = TableReader.follow(table, ReaderOptions.defaults())) {
      build(table, "white");
      live.refresh(); // does not wait for the ten seconds
      out.println("rose: " + text(live.get(bytes("rose"))));
    }
  }

  private static void build(Path table, String colourOfRoses) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(table, WriterOptions.defaults())) {
      writer.add(bytes("rose"), bytes(colourOfRoses));
      writer.add(bytes("violet"), bytes("blue"));
      writer.publish();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte @Nullable [] value) {
    return value == null ? "absent" : new String(value, StandardCharsets.UTF_8);
  }
}
