package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads the log of a table that is written: its files are sealed, cut and deleted meanwhile. */
class LogReportTest {
  private static final int SEGMENT_LENGTH = 1 << 20;
  private static final int PUBLICATIONS = 25;

  @TempDir Path directory;

  @Test
  void findsNoDamageInALogThatIsWritten() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    try (Watchdog watchdog = new Watchdog(60);
        WritableTable table =
            LiveTable.open(
                directory,
                WritableOptions.defaults().withDurability(Durability.OS),
                Places.onDisk(SEGMENT_LENGTH, LiveTable.Place.WHEN_ASKED))) {
      table.put(new byte[] {0}, new byte[1]);
      watchdog.run(
          List.of(
              () -> {
                try {
                  for (int i = 0; i < PUBLICATIONS; i++) {
                    for (int change = 0; change < 20; change++) {
                      table.put(new byte[] {(byte) change}, new byte[1_000]);
                    }
                    table.publish();
                  }
                  return null;
                } finally {
                  ended.set(true);
                }
              },
              () -> {
                while (!ended.get()) {
                  LogReport report = LogReport.read(directory);
                  assertThat(report.damage()).isNull();
                  assertThat(report.segments()).isNotEmpty();
                }
                return null;
              }));
    }
  }
}
