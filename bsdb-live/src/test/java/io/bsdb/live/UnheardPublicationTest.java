package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CURRENT is swapped, but could not be made durable: the publication fails and is repeated. */
class UnheardPublicationTest {
  private static final int SEGMENT_LENGTH = 1 << 14;

  @TempDir Path directory;

  private final AtomicBoolean fails = new AtomicBoolean();
  private CrashingFiles files;

  /** Publishes a change, and one more in a version of which the table does not hear. */
  private WritableTable changed(Path path, boolean failsOnce) throws Exception {
    Files.createDirectories(path.resolve("log"));
    files = new CrashingFiles(path);
    CrashingStorage.Listener listener =
        (operation, name) -> {
          if (fails.get() && operation.equals("replaced") && name.equals("CURRENT")) {
            fails.set(!failsOnce);
            throw new IOException("Input/output error");
          }
        };
    WritableTable table = open(path, listener);
    table.put(bytes("a"), bytes("1"));
    table.publish();
    table.put(bytes("b"), bytes("2"));
    fails.set(true);
    assertThatThrownBy(table::publish).hasMessageContaining("Input/output error");
    return table;
  }

  @Test
  void theLogIsKeptUntilTheVersionIsDurable() throws Exception {
    Path path = directory.resolve("table");
    try (WritableTable table = changed(path, true)) {
      table.publish();
      Path log = path.resolve("log/0000000002.log");
      Watchdog.await(() -> !Files.exists(log)); // the changes are in the version: it goes
      noPowerLossTakesTheChange(path);
    }
  }

  @Test
  void theLogIsKeptUntilTheVersionIsDurableThoughTheProcessWasKilled() throws Exception {
    Path path = directory.resolve("table");
    changed(path, false).close();
    try (WritableTable again = open(path, (operation, name) -> {})) {
      assertThat(again.get(bytes("b"))).isEqualTo(bytes("2"));
      assertThat(path.resolve("log/0000000002.log")).doesNotExist();
      noPowerLossTakesTheChange(path);
    }
  }

  private WritableTable open(Path path, CrashingStorage.Listener listener) throws IOException {
    return LiveTable.open(
        path,
        WritableOptions.defaults().withDurability(Durability.COMMIT),
        new LiveTable.Place(
            log -> new CrashingStorage(log, listener, files, "log/"),
            root -> new CrashingTable(Table.at(root).storage(), listener, files),
            SEGMENT_LENGTH,
            LiveTable.Place.WHEN_ASKED));
  }

  private void noPowerLossTakesTheChange(Path path) throws IOException {
    for (int seed = 0; seed < 32; seed++) {
      Path image = directory.resolve("image" + seed);
      files.crash(image, new Random(seed * 0x9E3779B97F4A7C15L));
      Files.copy(path.resolve("log/OWNER"), image.resolve("log/OWNER"));
      try (WritableTable left =
          LiveTable.open(
              image,
              WritableOptions.defaults(),
              Places.onDisk(SEGMENT_LENGTH, LiveTable.Place.WHEN_ASKED))) {
        assertThat(left.get(bytes("b"))).as("seed %d", seed).isEqualTo(bytes("2"));
      } catch (IOException e) {
        throw new IOException("seed " + seed, e);
      }
    }
  }
}
