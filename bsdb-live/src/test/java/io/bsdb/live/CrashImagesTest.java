package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.live.log.LogStorage;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CrashImagesTest {
  private static final int SEGMENT_LENGTH = 2048;
  private static final int CHANGES = 60;

  /** One of so many images is checked, from a random one on; a campaign checks all. */
  private static final int SAMPLE = 4;

  @TempDir Path directory;

  private record Image(Path table, int acknowledged, int begun, int synced) {}

  /** The table after the first changes of a run. */
  private static Map<String, String> model(int changes) {
    Map<String, String> model = new HashMap<>();
    for (int i = 0; i < changes; i++) {
      if (i % 5 == 4) {
        model.remove("key" + i % 7);
      } else {
        model.put("key" + i % 7, "value" + i + "x".repeat(i * 37 % 300));
        model.put("other" + i % 3, "value" + i);
      }
    }
    return model;
  }

  private static void write(WritableTable table, int i) throws IOException {
    if (i % 5 == 4) {
      table.delete(bytes("key" + i % 7));
    } else {
      table.write(
          new WriteBatch()
              .put(bytes("key" + i % 7), bytes("value" + i + "x".repeat(i * 37 % 300)))
              .put(bytes("other" + i % 3), bytes("value" + i))
              .position("changes", Integer.toString(i + 1)));
    }
  }

  private static Map<String, String> content(WritableTable table) throws IOException {
    Map<String, String> content = new HashMap<>();
    for (int i = 0; i < 7; i++) {
      for (String key : List.of("key" + i, "other" + i)) {
        byte[] value = table.get(bytes(key));
        if (value != null) {
          content.put(key, text(value));
        }
      }
    }
    return content;
  }

  @ParameterizedTest
  @EnumSource
  void afterACrashTheTableHasWhatWasPromised(Durability durability) throws IOException {
    crash(durability, SAMPLE);
  }

  @Tag("kills")
  @ParameterizedTest
  @EnumSource
  void afterEachCrashTheTableHasWhatWasPromised(Durability durability) throws IOException {
    crash(durability, 1);
  }

  private void crash(Durability durability, int sample) throws IOException {
    long seed = Long.getLong("campaign.seed", System.nanoTime());
    System.out.println("crashes amid writes: -Dcampaign.seed=" + seed);
    Random random = new Random(seed);
    int first = random.nextInt(sample);
    AtomicInteger operations = new AtomicInteger();
    List<Image> images = new ArrayList<>();
    AtomicInteger acknowledged = new AtomicInteger();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger synced = new AtomicInteger();
    CrashingStorage[] storage = new CrashingStorage[1];
    CrashingStorage.Listener crash =
        (operation, name) -> {
          synchronized (images) {
            if (operations.getAndIncrement() % sample != first) {
              return;
            }
            Path table = directory.resolve("image" + images.size());
            images.add(new Image(table, acknowledged.get(), begun.get(), synced.get()));
            if (storage[0] != null) {
              storage[0].crash(table.resolve("log"), random);
            }
          }
        };
    try (WritableTable table =
        LiveTable.open(
            directory.resolve("table"),
            WritableOptions.defaults().withDurability(durability),
            faulty(
                log -> {
                  storage[0] = CrashingStorage.of(log, crash);
                  return storage[0];
                }))) {
      for (int i = 0; i < CHANGES; i++) {
        begun.set(i + 1);
        write(table, i);
        acknowledged.set(i + 1);
        if (durability == Durability.COMMIT) {
          synced.set(i + 1);
        } else if (i % 10 == 9) {
          table.sync();
          synced.set(i + 1);
        }
      }
      assertThat(table.stats().disk().logFiles()).isGreaterThan(3);
    }
    assertThat(operations).hasValueGreaterThan(CHANGES);
    for (Image image : images) {
      assertOneOf(image, "seed " + seed + " " + image);
    }
  }

  /** Opens what a crash left; on the way there it is crashed again. */
  private void assertOneOf(Image image, String what) throws IOException {
    Files.createDirectories(image.table.resolve("log"));
    Random random = new Random(image.hashCode());
    Path second = image.table.resolve("second");
    int at = random.nextInt(8);
    AtomicInteger operations = new AtomicInteger();
    CrashingStorage[] storage = new CrashingStorage[1];
    Map<String, String> first;
    try (WritableTable table =
        LiveTable.open(
            image.table,
            WritableOptions.defaults(),
            faulty(
                log -> {
                  storage[0] =
                      CrashingStorage.of(
                          log,
                          (operation, name) -> {
                            if (operations.getAndIncrement() == at) {
                              Objects.requireNonNull(storage[0])
                                  .crash(second.resolve("log"), random);
                            }
                          });
                  return storage[0];
                }))) {
      first = content(table);
      assertPrefix(image, table, what);
    }
    try (WritableTable again = open(image.table)) {
      assertThat(content(again)).as(what).isEqualTo(first);
      again.put(bytes("key0"), bytes("new"));
    }
    try (WritableTable again = open(image.table)) {
      assertThat(again.get(bytes("key0"))).as(what).isEqualTo(bytes("new"));
    }
    if (Files.exists(second)) {
      try (WritableTable again = open(second)) {
        assertPrefix(image, again, "crash during recovery: " + what);
      }
    }
  }

  /** The content is that of a number of changes, and so is the position, which deletes lack. */
  private static void assertPrefix(Image image, WritableTable table, String what)
      throws IOException {
    Map<String, String> content = content(table);
    int position = Integer.parseInt(table.sourcePositions().getOrDefault("changes", "0"));
    List<Map<String, String>> possible = new ArrayList<>();
    for (int changes = image.synced; changes <= image.begun; changes++) {
      if (position == changes || (position == changes - 1 && position % 5 == 4)) {
        possible.add(model(changes));
      }
    }
    assertThat(possible).as(what).contains(content);
  }

  private static WritableTable open(Path table) throws IOException {
    return LiveTable.open(table, WritableOptions.defaults(), faulty(LogDirectory::new));
  }

  @ParameterizedTest
  @EnumSource
  void aFailedWriteOrFsyncEndsWritingButNotReading(Durability durability) throws IOException {
    for (String failing : List.of("write", "force")) {
      Path table = directory.resolve(failing);
      AtomicBoolean fail = new AtomicBoolean();
      WritableTable open =
          faulty(table, durability, (operation, name) -> fail.get() && operation.equals(failing));
      open.put(bytes("a"), bytes("1"));
      fail.set(true);
      assertThatThrownBy(
              () -> {
                open.put(bytes("b"), bytes("2"));
                open.sync();
              })
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("outcome unknown")
          .hasMessageContaining("injected");
      fail.set(false);
      assertThatThrownBy(() -> open.put(bytes("c"), bytes("3")))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("nothing was written");
      assertThat(open.get(bytes("a"))).isEqualTo(bytes("1"));
      assertThat(open.get(bytes("c"))).isNull();
      if (durability == Durability.COMMIT) {
        assertThat(open.get(bytes("b"))).isNull();
      }
      assertClosesWithFailure(open);
      try (WritableTable again = open(table)) {
        assertThat(again.get(bytes("a"))).isEqualTo(bytes("1"));
        assertThat(again.get(bytes("c"))).isNull();
      }
    }
  }

  private static void assertClosesWithFailure(WritableTable table) throws IOException {
    assertThatThrownBy(table::close)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its log failed, so that the last changes may be lost")
        .hasMessageContaining("injected");
    table.close();
  }

  @Test
  void closeReportsAnFsyncThatFailedInTheBackground() throws Exception {
    AtomicBoolean fail = new AtomicBoolean();
    CountDownLatch failed = new CountDownLatch(1);
    WritableTable table =
        LiveTable.open(
            directory,
            WritableOptions.defaults().withDurability(Durability.OS),
            faulty(
                log ->
                    CrashingStorage.of(
                        log,
                        (operation, name) -> {
                          boolean isMark = Thread.currentThread().getName().equals("bsdb-mark");
                          if (fail.get() && isMark && operation.equals("force")) {
                            failed.countDown(); // close waits for this thread
                            throw new IOException("injected");
                          }
                        }),
                Duration.ofMillis(1)));
    fail.set(true);
    table.put(bytes("a"), bytes("1"));
    failed.await();
    assertClosesWithFailure(table);
  }

  @Test
  void aFullDiskFailsCleanlyOnceWhatIsPreparedIsUsed() throws IOException {
    AtomicBoolean full = new AtomicBoolean();
    int written = 0;
    try (WritableTable table =
        faulty(
            directory,
            Durability.COMMIT,
            (operation, name) -> full.get() && name.endsWith(".new"))) {
      table.put(bytes("first"), bytes("1"));
      full.set(true);
      IOException failure = null;
      while (failure == null && written < 100) {
        try {
          table.put(bytes("key" + written), new byte[100]);
          written++;
        } catch (IOException e) {
          failure = e;
        }
      }
      assertThat(failure)
          .isNotInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("nothing was written")
          .hasMessageContaining("injected");
      assertThat(written).isGreaterThan(5);
      full.set(false);
      table.put(bytes("last"), bytes("2"));
    }
    try (WritableTable again = open(directory)) {
      assertThat(again.get(bytes("key" + (written - 1)))).hasSize(100);
      assertThat(again.get(bytes("key" + written))).isNull();
      assertThat(again.get(bytes("last"))).isEqualTo(bytes("2"));
    }
  }

  /** Publishing needs another file of the log; the changes in the last one are not durable yet. */
  @Test
  void closeDoesNotCallChangesDurableThatAreNeitherPublishedNorForced() throws IOException {
    AtomicBoolean full = new AtomicBoolean();
    AtomicBoolean broken = new AtomicBoolean();
    CrashingStorage.Listener faults =
        (operation, name) -> {
          if (full.get() && name.endsWith(".new")) {
            throw new IOException("No space left on device");
          }
          if (broken.get() && operation.equals("force")) {
            throw new IOException("injected");
          }
        };
    WritableTable table =
        LiveTable.open(
            directory,
            WritableOptions.defaults().withDurability(Durability.OS),
            new LiveTable.Place(
                log -> CrashingStorage.of(log, faults),
                root -> Table.at(root).storage(),
                SEGMENT_LENGTH,
                LiveTable.PUBLISHED_SEGMENTS,
                Duration.ofDays(1)));
    full.set(true);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                table.put(bytes("key" + i), new byte[100]);
              }
            })
        .hasMessageContaining("No space left on device");
    broken.set(true);
    assertClosesWithFailure(table);
  }

  private static LiveTable.Place faulty(Function<Path, LogStorage> log) {
    return faulty(log, Duration.ofSeconds(1));
  }

  private static LiveTable.Place faulty(Function<Path, LogStorage> log, Duration markEvery) {
    return new LiveTable.Place(
        log,
        table -> Table.at(table).storage(),
        SEGMENT_LENGTH,
        LiveTable.Place.WHEN_ASKED,
        markEvery);
  }

  private interface Fault {
    boolean isAt(String operation, String name);
  }

  private static WritableTable faulty(Path table, Durability durability, Fault fault)
      throws IOException {
    return LiveTable.open(
        table,
        WritableOptions.defaults().withDurability(durability),
        faulty(
            log ->
                CrashingStorage.of(
                    log,
                    (operation, name) -> {
                      if (fault.isAt(operation, name)) {
                        throw new IOException("injected");
                      }
                    }),
            Duration.ofDays(1))); // so that the write that is expected to fail is the first to
  }
}
