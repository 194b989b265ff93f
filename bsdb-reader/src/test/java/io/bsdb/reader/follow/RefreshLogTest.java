package io.bsdb.reader.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.LoggedLines;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RefreshLogTest {
  private static final String TABLE = "table /t";

  private long now = Long.MAX_VALUE - 5; // the clock may overflow
  private final RefreshLog refreshLog =
      new RefreshLog(LoggerFactory.getLogger(RefreshLogTest.class), () -> now);

  private void failed(Throwable cause) {
    refreshLog.failed(TABLE, "0000000001-aa", null, cause);
  }

  @Test
  void logsOnceInFullThenALineAMinuteAndOneAtTheEnd() {
    try (var lines = LoggedLines.of(RefreshLogTest.class)) {
      for (int i = 0; i <= 18; i++) { // every 10 seconds, for 3 minutes
        failed(new NoSuchFileException("/t/CURRENT"));
        now += TimeUnit.SECONDS.toNanos(10);
      }
      assertThat(lines.all())
          .containsExactly(
              "WARN table /t: refresh failed, version 0000000001-aa stays in use, will try again"
                  + " java.nio.file.NoSuchFileException: /t/CURRENT",
              "WARN table /t: 7 refreshes in a row failed, version 0000000001-aa stays in use;"
                  + " the last one: java.nio.file.NoSuchFileException: /t/CURRENT",
              "WARN table /t: 13 refreshes in a row failed, version 0000000001-aa stays in use;"
                  + " the last one: java.nio.file.NoSuchFileException: /t/CURRENT",
              "WARN table /t: 19 refreshes in a row failed, version 0000000001-aa stays in use;"
                  + " the last one: java.nio.file.NoSuchFileException: /t/CURRENT");
    }
    try (var lines = LoggedLines.of(RefreshLogTest.class)) {
      refreshLog.succeeded(TABLE, "0000000002-bb");
      refreshLog.succeeded(TABLE, "0000000002-bb");
      assertThat(lines.all())
          .containsExactly(
              "INFO table /t: refreshes succeed again after 19 failed, version 0000000002-bb is in use");
      failed(new NoSuchFileException("/t/CURRENT"));
      assertThat(lines.all()).last().asString().endsWith("NoSuchFileException: /t/CURRENT");
    }
  }

  @Test
  void logsEachKindOfFailureInFull() {
    try (var lines = LoggedLines.of(RefreshLogTest.class)) {
      for (int i = 0; i < 3; i++) {
        failed(new NoSuchFileException("/t/CURRENT"));
        failed(new OutOfMemoryError("Java heap space"));
      }
      refreshLog.failed(TABLE, null, "0000000003-cc", new IOException("not this one"));
      refreshLog.failed(TABLE, null, "0000000004-dd", new IOException("nor this"));
      assertThat(lines.all())
          .hasSize(4)
          .anyMatch(line -> line.endsWith("java.lang.OutOfMemoryError: Java heap space"))
          .anyMatch(
              line -> line.contains("there is still no version, version 0000000003-cc is refused"))
          .anyMatch(line -> line.contains("version 0000000004-dd is refused"));
    }
  }
}
