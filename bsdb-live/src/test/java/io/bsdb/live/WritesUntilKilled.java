package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * A process that writes into a table with some threads until it is killed, publishes and folds
 * meanwhile, and prints each thread's number once the change with it has returned.
 */
final class WritesUntilKilled {
  static final int THREADS = 4;
  static final int KEYS = 20;
  private static final int SEGMENT_LENGTH = 1 << 14;

  private WritesUntilKilled() {}

  static byte[] key(int thread, int number) {
    return (thread + "-" + number % KEYS).getBytes(US_ASCII);
  }

  static byte[] last(int thread) {
    return (thread + "-last").getBytes(US_ASCII);
  }

  static WritableTable open(Path table, Durability durability) throws IOException {
    return LiveTable.open(
        table,
        WritableOptions.defaults().withDurability(durability),
        Places.onDisk(SEGMENT_LENGTH, LiveTable.PUBLISHED_SEGMENTS));
  }

  /**
   * Writes until it is killed.
   *
   * @param arguments the table, the durability, a seed, and the number behind which each thread
   *     goes on
   */
  public static void main(String[] arguments) throws Exception {
    Random random = new Random(Long.parseLong(arguments[2]));
    WritableTable table = open(Path.of(arguments[0]), Durability.valueOf(arguments[1]));
    CompletableFuture<Void> failed = new CompletableFuture<>();
    for (int i = 0; i < THREADS; i++) {
      int thread = i;
      int first = Integer.parseInt(arguments[3 + i]) + 1;
      Thread writer =
          new Thread(
              () -> {
                try {
                  write(table, thread, first);
                } catch (Throwable e) {
                  failed.completeExceptionally(e);
                }
              });
      writer.setDaemon(true); // else the process would not end with the main thread
      writer.start();
    }
    while (!failed.isDone()) {
      switch (random.nextInt(3)) {
        case 0 -> table.compact();
        case 1 -> table.sync();
        default -> table.publish();
      }
    }
    failed.get();
  }

  private static void write(WritableTable table, int thread, int first) throws IOException {
    for (int number = first; ; number++) {
      byte[] value = String.valueOf(number).getBytes(US_ASCII);
      table.write(new WriteBatch().put(key(thread, number), value).put(last(thread), value));
      System.out.println(thread + " " + number);
    }
  }
}
