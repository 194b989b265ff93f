package io.bsdb.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Facts that belong beside every number, as the system reports them. */
public final class Machine {
  private static final Path MEMORY = Path.of("/proc/meminfo");

  private Machine() {}

  /** Returns facts by name, in the order to show. */
  public static Map<String, String> facts() throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
    facts.put("processor", field(Path.of("/proc/cpuinfo"), "model name"));
    facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("memory", field(MEMORY, "MemTotal"));
    facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put(
        "java",
        "%s %s, heap %d MiB"
            .formatted(
                System.getProperty("java.vm.name"),
                System.getProperty("java.vm.version"),
                Runtime.getRuntime().maxMemory() >> 20));
    facts.put(
        "load average at start",
        "%.2f".formatted(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
    return facts;
  }

  /** Returns what processes and page cache can have without swapping; all there is if unknown. */
  public static long availableMemory() throws IOException {
    long bytes = bytes(MEMORY, "MemAvailable");
    return bytes < 0 ? Long.MAX_VALUE : bytes;
  }

  /**
   * Returns a field of {@code /proc/self/status} in bytes, such as {@code VmHWM}; −1 if unknown.
   */
  public static long ownMemory(String field) throws IOException {
    return bytes(Path.of("/proc/self/status"), field);
  }

  /** Returns the processor time that this process has taken so far. */
  public static long processorNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Returns the bytes that this process has sent to the disk, or will. */
  public static long writtenBytes() throws IOException {
    return Long.parseLong(field(Path.of("/proc/self/io"), "write_bytes"));
  }

  private static long bytes(Path file, String name) throws IOException {
    String digits = field(file, name).replaceAll("\\D", "");
    return digits.isEmpty() ? -1 : Long.parseLong(digits) << 10;
  }

  private static String field(Path file, String name) throws IOException {
    if (Files.isReadable(file)) {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(name)) {
          return line.substring(line.indexOf(':') + 1).strip();
        }
      }
    }
    return "unknown";
  }
}
