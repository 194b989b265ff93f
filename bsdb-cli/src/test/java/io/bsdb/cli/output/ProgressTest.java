package io.bsdb.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProgressTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Console console(boolean terminal) {
    PrintStream messages = new PrintStream(err, true, StandardCharsets.UTF_8);
    return new Console(
        InputStream.nullInputStream(), OutputStream.nullOutputStream(), messages, terminal);
  }

  private String shown() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void showsRateAndTimeLeftOnATerminal() {
    try (Progress progress =
        Progress.start(console(true), "reading", 100 << 20, Progress.Unit.BYTES)) {
      progress.records().set(5_000);
      progress.position().set(50 << 20);
      Await.until(() -> shown().contains("left"));
    }
    assertThat(shown())
        .containsPattern("reading +50% .*50/100 MiB.* 5,000 records, [0-9,]+/s, \\d+:\\d\\d left");
  }

  @Test
  void endsABarAtItsEnd() {
    try (Progress progress =
        Progress.start(console(true), "building", 4, Progress.Unit.PARTITIONS)) {
      progress.records().set(7);
      progress.position().set(4);
    }
    assertThat(shown()).containsPattern("building +100% .*4/4.* 7 records").doesNotContain("left");
  }

  @Test
  void showsNoBarElsewhere() {
    try (Progress progress = Progress.start(console(false), "reading", 100, Progress.Unit.BYTES)) {
      progress.position().set(100);
    }
    assertThat(shown()).isEmpty();
  }
}
