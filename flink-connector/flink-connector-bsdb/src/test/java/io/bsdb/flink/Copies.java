package io.bsdb.flink;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.util.FileUtils;

/** Tables that are built once, and of which each test gets a copy. */
final class Copies {
  private Copies() {}

  /** Copies a directory to a place where there is nothing yet. */
  static void copy(Path from, Path to) throws IOException {
    FileUtils.copy(
        new org.apache.flink.core.fs.Path(from.toUri()),
        new org.apache.flink.core.fs.Path(to.toUri()),
        false);
  }
}
