package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A prepared file of the log that is damaged takes nothing with it when it goes. */
class DamagedPreparedFileTest {
  @TempDir Path directory;

  private static WritableTable open(Path table) throws IOException {
    return LiveTable.open(
        table,
        WritableOptions.defaults().withDurability(Durability.COMMIT),
        Places.onDisk(1 << 16, LiveTable.Place.WHEN_ASKED));
  }

  private static byte[] withAByte(byte[] file, int at) {
    byte[] changed = file.clone();
    changed[at] ^= 1;
    return changed;
  }

  @Test
  void whatIsWrittenAfterATornEndStays() throws Exception {
    Path killed = directory.resolve("killed");
    Path killedAgain = directory.resolve("killed-again");
    Path first = killed.resolve("log/0000000001.log");
    Path prepared = killed.resolve("log/0000000002.log");
    try (WritableTable table = open(directory.resolve("table"))) {
      table.put(bytes("a"), bytes("1"));
      // the next file is prepared
      Watchdog.await(() -> Files.exists(directory.resolve("table/log/0000000002.log")));
      ModelFiles.copy(directory.resolve("table"), killed);
    }
    Files.write(first, withAByte(Files.readAllBytes(first), 60_000)); // of a torn write
    Files.write(prepared, withAByte(Files.readAllBytes(prepared), 9)); // its header; no frame
    try (WritableTable table = open(killed)) {
      assertThat(table.get(bytes("a"))).isEqualTo(bytes("1"));
      table.put(bytes("b"), bytes("2")); // acknowledged, durable
      ModelFiles.copy(killed, killedAgain);
    }
    try (WritableTable table = open(killedAgain)) {
      assertThat(table.get(bytes("a"))).isEqualTo(bytes("1"));
      assertThat(table.get(bytes("b"))).isEqualTo(bytes("2"));
    }
  }
}
