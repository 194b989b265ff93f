package io.bsdb.reader;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.OpenFiles;
import io.bsdb.testkit.Records.Lengths;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A process that looks all keys up with access IO_URING, and says how it went. Its arguments: the
 * table, the queue depth, and, if one is to be refused, a system call's number and the errno.
 */
final class RestrictedReads {
  private RestrictedReads() {}

  /** What the table has to hold. */
  static TestData data() {
    return TestData.random(8, 400, Lengths.VARYING, Lengths.VARYING, 100);
  }

  public static void main(String[] arguments) throws IOException {
    TestData data = data();
    ReaderOptions options =
        ReaderOptions.builder()
            .access(Access.IO_URING)
            .queueDepth(Integer.parseInt(arguments[1]))
            .build();
    if (arguments.length > 2) {
      RefusedSystemCall.of(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
    }
    try (SnapshotReader reader = SnapshotReader.open(Path.of(arguments[0]), options)) {
      List<CompletableFuture<byte[]>> futures = new ArrayList<>();
      for (byte[] key : data.keys()) {
        futures.add(reader.async().get(key));
      }
      List<byte[]> all = reader.getAll(data.keys());
      int right = 0;
      for (int i = 0; i < data.count(); i++) {
        byte[] value = data.values().get(i);
        right += Arrays.equals(futures.get(i).join(), value) ? 1 : 0;
        right += Arrays.equals(all.get(i), value) ? 1 : 0;
        right += Arrays.equals(reader.get(data.keys().get(i)), value) ? 1 : 0;
      }
      System.out.println("right answers: " + right);
      System.out.println("effective access: " + reader.metrics().effectiveAccess());
    }
    System.out.println("descriptors of rings: " + ringsOpen());
  }

  private static long ringsOpen() throws IOException {
    return OpenFiles.descriptors().stream().filter(file -> file.contains("io_uring")).count();
  }
}
