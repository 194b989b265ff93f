package io.bsdb.reader;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.ValueReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.SnapshotOpener;
import io.bsdb.testkit.Records;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A process that opens a mapped table of {@link #data}, shortens a file of it, and reads. Its
 * arguments: the table, and what to do.
 */
final class ShortenedReads {
  private static final int PAGES_LEFT = 5;

  private ShortenedReads() {}

  /** What the table has to hold. */
  static TestData data() {
    return TestData.random(8, 20_000, Records.Lengths.FIXED, Records.Lengths.FIXED, 40);
  }

  public static void main(String[] arguments) throws IOException {
    OpenSnapshot snapshot =
        CallingReader.OPENER.open(Path.of(arguments[0]), ReaderOptions.defaults());
    SnapshotReader reader = new CallingReader(snapshot);
    compile(reader);
    try (FileChannel file =
        FileChannel.open(snapshot.partitions().get(0).path(), StandardOpenOption.WRITE)) {
      file.truncate(PAGES_LEFT * 4096L);
    }
    switch (arguments[1]) {
      case "scan" -> failing(() -> TestData.scanned(reader));
      case "warm up" -> failing(() -> SnapshotOpener.warmUp(snapshot));
      case "get" -> lookups(reader, 1, ValueReader.COPY);
      case "lend" -> lookups(reader, 1, Answers.BY_BYTES);
      default -> lookups(reader, 64, ValueReader.COPY);
    }
    System.out.println("alive");
  }

  /** In compiled code, a fault is noticed late. Uses few blocks. */
  private static void compile(SnapshotReader reader) throws IOException {
    List<byte[]> few = data().keys().subList(0, 8);
    for (int i = 0; i < 20_000; i++) {
      byte[] key = few.get(i % few.size());
      if (reader.get(key) == null
          || reader.get(key, Answers.BY_BYTES) == null
          || reader.getAll(few).contains(null)) {
        throw new IllegalStateException("a key is absent");
      }
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  private static void failing(Action action) throws IOException {
    try {
      action.run();
      System.out.println("nothing failed");
    } catch (CorruptSnapshotException e) {
      System.out.println(e.getMessage());
    }
  }

  /**
   * Looks all keys up. That also reads the perfect hash, which has been cut off: such a fault may
   * come up in this code, after the call.
   */
  private static void lookups(SnapshotReader reader, int batch, ValueReader<byte[]> values) {
    Lookups lookups = new Lookups(reader, batch, values);
    while (lookups.next < lookups.data.count()) {
      try {
        lookups.run();
      } catch (InternalError e) {
        lookups.next += batch;
      }
    }
    System.out.println("wrong values: " + lookups.wrong);
    System.out.println("refused: " + (lookups.refused > 0));
  }

  private static final class Lookups {
    final TestData data = data();
    private final SnapshotReader reader;
    private final int batch;
    private final ValueReader<byte[]> valueReader;
    int next;
    int wrong;
    int refused;

    Lookups(SnapshotReader reader, int batch, ValueReader<byte[]> valueReader) {
      this.valueReader = valueReader;
      this.reader = reader;
      this.batch = batch;
    }

    void run() {
      for (; next < data.count(); next += batch) {
        List<byte[]> keys = data.keys().subList(next, Math.min(next + batch, data.count()));
        try {
          List<byte[]> values =
              batch == 1
                  ? Collections.singletonList(reader.get(keys.get(0), valueReader))
                  : reader.getAll(keys, valueReader);
          for (int i = 0; i < values.size(); i++) {
            byte[] value = values.get(i);
            boolean right = value == null || Arrays.equals(value, data.values().get(next + i));
            wrong += right ? 0 : 1;
          }
        } catch (IOException e) {
          refused += e instanceof CorruptSnapshotException ? 1 : 0;
        }
      }
    }
  }
}
