package io.bsdb.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel says about the memory of this process. */
public final class ProcessStatus {
  private ProcessStatus() {}

  /** A field of {@code /proc/self/status}, such as {@code VmHWM}; −1 if the kernel says nothing. */
  public static long bytes(String field) throws IOException {
    Path status = Path.of("/proc/self/status");
    if (Files.isReadable(status)) {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith(field + ":")) {
          return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
      }
    }
    return -1;
  }
}
