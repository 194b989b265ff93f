package io.bsdb.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.Console;
import io.bsdb.testkit.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class InterruptionTest {
  /** Begins work when the process is already ending. */
  static final class Late {
    private Late() {}

    public static void main(String[] arguments) {
      Runtime.getRuntime().addShutdownHook(new Thread(Late::work, "late"));
    }

    private static void work() {
      try {
        Interruption.during(interruption -> "worked", Path.of("no-table"), Console.ofProcess());
      } catch (IOException | RuntimeException e) {
        System.out.print(e);
      }
    }
  }

  @Test
  void beginsNothingWhileTheProcessEnds() throws Exception {
    ChildProcess.Result result = ChildProcess.run(ChildProcess.of(Late.class));
    assertThat(result.lines())
        .containsExactly("java.io.InterruptedIOException: the process is ending");
    assertThat(result.status()).isZero();
  }
}
