package io.bsdb.examples;

import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The ways to read a table in plain Java. */
public final class JavaReads {
  private JavaReads() {}

  /** Runs it with the directory of a table to build, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(Path.of(arguments.length > 0 ? arguments[0] : "colours"), System.out);
  }

  static void run(Path table, PrintStream out) throws IOException {
    build(table);
    readOneVersion(table, out);
    readFromDisk(table, out);
    follow(table, out);
  }

  private static void build(Path table) throws IOException {
    WriterOptions options =
        WriterOptions.builder()
            .layout(Layout.COMPRESSED) // half the space, three times the time of a get
            .memoryBytes(256L << 20) // heap and page cache together
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(bytes("rose"), bytes("red"));
      writer.add(bytes("violet"), bytes("blue"));
      writer.publish();
    }
  }

  private static void readOneVersion(Path table, PrintStream out) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      byte[] value = reader.get(bytes("rose")); // null: absent
      List<byte[]> values = reader.getAll(List.of(bytes("rose"), bytes("violet")));

      ByteBuffer target = ByteBuffer.allocate(1024); // used again and again
      int length = reader.get(bytes("unicorn"), target);
      boolean absent = length == SnapshotReader.NOT_FOUND;

      Integer first = // copies nothing
          reader.get(bytes("rose"), (index, lent, offset, size) -> (int) lent.byteAt(offset));
      out.println(text(value) + " " + text(values.get(1)) + " " + absent + " " + first);
    }
  }

  private static void readFromDisk(Path table, PrintStream out) throws IOException {
    ReaderOptions options =
        ReaderOptions.builder()
            .access(Access.IO_URING) // one read of the disk per lookup, many in flight
            .blockCacheBytes(64L << 20)
            .build();
    try (AsyncSnapshotReader reader = AsyncSnapshotReader.open(table, options)) {
      CompletableFuture<byte[]> rose = reader.get(bytes("rose"));
      CompletableFuture<byte[]> violet = reader.get(bytes("violet"));
      String both = rose.thenCombine(violet, (a, b) -> text(a) + " " + text(b)).join();
      out.println(both);
    }
  }

  private static void follow(Path table, PrintStream out) throws IOException {
    TableReader.Listener listener =
        new TableReader.Listener() {
          @Override
          public void onRefreshed(Manifest manifest) {
            out.println(manifest.recordCount() + " records");
          }
        };
    try (TableReader live =
        TableReader.builder(table).refreshEvery(Duration.ofMinutes(1)).listener(listener).open()) {
      build(table);
      live.refresh(); // does not wait for the minute
      try (TableReader.Lease lease = live.lease()) { // both answers are of one version
        byte[] rose = lease.reader().get(bytes("rose"));
        byte[] violet = lease.reader().get(bytes("violet"));
        out.println(text(rose) + " " + text(violet));
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte @Nullable [] value) {
    return value == null ? "absent" : new String(value, StandardCharsets.UTF_8);
  }
}
