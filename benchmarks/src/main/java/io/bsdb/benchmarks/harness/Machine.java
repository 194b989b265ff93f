package io.bsdb.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Facts that belong beside every number, as the system reports them. */
public final class Machine {
  private static final Path MEMORY = Path.of("/proc/meminfo");
  private static final int UNTIMED = 3;
  private static final int READS = 1 << 18;

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

  /**
   * Runs a command to its end.
   *
   * @throws IOException if it fails
   */
  public static void run(String... command) throws IOException, InterruptedException {
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException(
          "failed with status %d: %s".formatted(status, String.join(" ", command)));
    }
  }

  /** Returns the bytes that this process has sent to the disk, or will. */
  public static long writtenBytes() throws IOException {
    return Long.parseLong(field(Path.of("/proc/self/io"), "write_bytes"));
  }

  /**
   * Measures random reads of single bytes of the large files of a directory, which are mapped and
   * in the page cache, at offsets that each depend on the value read before. No store that keeps
   * its records in mapped files can answer in less than one such read.
   *
   * @return nanoseconds per read, of each round
   */
  public static double[] memoryReads(Path directory, int rounds) throws IOException {
    List<Path> all = Directories.files(directory);
    long largest = all.stream().mapToLong(file -> file.toFile().length()).max().orElseThrow();
    List<FileMemory> files = new ArrayList<>();
    try {
      for (Path file : all) {
        if (file.toFile().length() > largest / 2) {
          files.add(FileMemory.map(file));
        }
      }
      double[] nanos = new double[rounds];
      long last = 0;
      for (int round = -UNTIMED; round < rounds; round++) {
        long start = System.nanoTime();
        for (int i = 0; i < READS; i++) {
          last = Workload.mix(last + 1 + read(files, last));
        }
        if (round >= 0) {
          nanos[round] = (System.nanoTime() - start) / (double) READS;
        }
      }
      // Printed, so that the compiler cannot drop the loops.
      Progress.step("memory was read, checksum %x", last);
      return nanos;
    } finally {
      Closing.all(files);
    }
  }

  private static byte read(List<FileMemory> files, long random) {
    FileMemory file = files.get((int) (((random & 0xFFFF_FFFFL) * files.size()) >>> 32));
    long offset = Math.multiplyHigh(random >>> 1, 2 * file.length());
    return file.chunk(offset).get(FileMemory.index(offset));
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
