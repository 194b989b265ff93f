package io.bsdb.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Facts that belong beside every number. */
public final class Machine {
  private Machine() {}

  /** By name, in the order to show. */
  public static Map<String, String> facts() throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("date", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
    facts.put("processor", field(Path.of("/proc/cpuinfo"), "model name"));
    facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("memory", field(Path.of("/proc/meminfo"), "MemTotal"));
    facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put(
        "java",
        System.getProperty("java.vm.name")
            + " "
            + System.getProperty("java.vm.version")
            + ", heap "
            + (Runtime.getRuntime().maxMemory() >> 20)
            + " MiB");
    facts.put(
        "load average at start",
        "%.2f".formatted(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
    return facts;
  }

  /** What processes and page cache can have without swapping; as good as endless if not known. */
  static long availableMemoryBytes() throws IOException {
    String digits = field(Path.of("/proc/meminfo"), "MemAvailable").replaceAll("\\D", "");
    return digits.isEmpty() ? Long.MAX_VALUE : Long.parseLong(digits) << 10;
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
