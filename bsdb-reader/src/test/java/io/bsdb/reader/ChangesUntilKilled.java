package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bsdb.compact.Compactor;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/**
 * A process that changes a table until it is killed: gives all its keys the next number, merges,
 * folds, builds again under changes, prunes and sweeps. Prints each number once it is in service.
 */
final class ChangesUntilKilled {
  /** Keys of each process. */
  static final int KEYS = 40;

  private ChangesUntilKilled() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    String name = arguments[1];
    int number = Integer.parseInt(arguments[2]);
    Random random = new Random(Long.parseLong(arguments[3]));
    while (true) {
      number++;
      try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
        for (int i = 0; i < KEYS; i++) {
          writer.put(key(name, i), Integer.toString(number).getBytes(US_ASCII));
        }
        writer.publish();
      }
      System.out.println(number);
      System.out.flush();
      try {
        tidyUp(directory, random);
      } catch (PublishConflictException | java.nio.file.NoSuchFileException rival) {
        // One of the others built, folded or pruned what this one was reading.
      }
    }
  }

  private static void tidyUp(Path directory, Random random) throws IOException {
    switch (random.nextInt(8)) {
      case 0 -> new Compactor(directory).foldFraction(100).maxSegments(1).run();
      case 1 -> new Compactor(directory).foldFraction(0).run();
      case 2 -> new Compactor(directory).keepHistory(Duration.ZERO).run();
      case 3 -> Table.at(directory).prune(3);
      case 4 -> Table.at(directory).sweep(Duration.ofMinutes(1));
      case 5 -> rebuild(directory);
      default -> {}
    }
  }

  private static void rebuild(Path directory) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(directory);
        SnapshotWriter writer =
            SnapshotWriter.createAsOf(
                reader.manifest().version(),
                directory,
                WriterOptions.builder().partitions(2).minRows(0).build());
        RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        writer.add(cursor.key(), cursor.value());
      }
      writer.publish();
    }
  }

  static byte[] key(String name, int i) {
    return (name + i).getBytes(US_ASCII);
  }
}
