package io.bsdb.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileAlreadyExistsException;
import org.junit.jupiter.api.Test;

class FailureTextTest {
  /** Before Java 20 one may come up after the call that read the file. */
  @Test
  void aFaultInAMappedFileIsNoDefectOfTheProgram() {
    InternalError fault = new InternalError("a fault occurred in a recent unsafe memory access");
    assertThat(FailureText.status(fault)).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(FailureText.of(fault))
        .startsWith("mapped file cannot be read: file=unknown: a fault occurred in a recent");
    assertThat(FailureText.status(new InternalError("of Java"))).isEqualTo(ExitStatus.DEFECT);
  }

  @Test
  void namesAnInterrupt() {
    assertThat(FailureText.of(new ClosedByInterruptException())).isEqualTo("interrupted");
  }

  /** Such as of a directory for temporary files; the exception's own message is the name alone. */
  @Test
  void saysThatAFileIsInTheWay() {
    assertThat(FailureText.of(new FileAlreadyExistsException("spill")))
        .isEqualTo("a file of this name is in the way: spill");
  }
}
