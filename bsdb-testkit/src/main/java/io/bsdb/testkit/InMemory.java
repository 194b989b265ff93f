package io.bsdb.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Creates temporary directories in memory, if {@code memory.tmpdir} is there: for tests that would
 * wait for a disk at each step, and show nothing that depends on one.
 */
public final class InMemory implements TempDirFactory {
  @Override
  public Path createTempDirectory(AnnotatedElementContext annotated, ExtensionContext test)
      throws IOException {
    String memory = System.getProperty("memory.tmpdir");
    return memory == null
        ? Files.createTempDirectory("junit-")
        : Files.createTempDirectory(Path.of(memory), "junit-");
  }
}
