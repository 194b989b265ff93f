package io.bsdb.benchmarks.peers;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of another Java process like this one. */
public final class JavaCommand {
  private JavaCommand() {}

  /**
   * With this process's Java, options and class path.
   *
   * @param options come after this process's own and so prevail
   */
  public static List<String> of(List<String> options, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Whether this process, and those that it starts, have their heaps in huge pages. */
  static boolean hasHugeHeap() {
    return ManagementFactory.getRuntimeMXBean()
        .getInputArguments()
        .contains("-XX:+UseTransparentHugePages");
  }

  /**
   * Runs one to its end; it prints where this process does.
   *
   * @throws IOException if it fails
   */
  public static void run(List<String> options, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(of(options, main, arguments)).inheritIO().start();
    // However this process ends: nobody else would end the other one.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "bench-end"));
    int status;
    try {
      status = process.waitFor();
    } finally {
      process.destroy();
    }
    if (status != 0) {
      throw new IOException(
          "%s %s ended with status %d; what went wrong stands above"
              .formatted(main.getSimpleName(), String.join(" ", arguments), status));
    }
  }
}
