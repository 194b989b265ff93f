package io.bsdb.http.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class ProblemTest {
  @Test
  void saysWhatAFileNameAloneMeans() {
    assertThat(Problem.text(new NoSuchFileException("t/CURRENT")))
        .isEqualTo("no such file: t/CURRENT");
    assertThat(Problem.text(new AccessDeniedException("t/CURRENT")))
        .isEqualTo("permission denied: t/CURRENT");
    assertThat(Problem.text(new FileSystemException("t/CURRENT", null, "Input/output error")))
        .isEqualTo("t/CURRENT: Input/output error");
  }

  /** Before Java 20 one may come up after the call that read the file. */
  @Test
  void aFaultInAMappedFileIsNoDefectOfTheServer() {
    InternalError fault = new InternalError("a fault occurred in a recent unsafe memory access");
    Problem problem = Problem.of(new CompletionException(fault));
    assertThat(problem.kind()).isEqualTo(Problem.Kind.UNREADABLE);
    assertThat(problem.detail())
        .startsWith("mapped file cannot be read: file=unknown: a fault occurred in a recent");
    assertThat(Problem.of(new InternalError("of Java")).kind()).isEqualTo(Problem.Kind.INTERNAL);
  }
}
