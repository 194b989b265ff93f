package io.bsdb.benchmarks.harness;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts other processes with the Java, the options and the class path of this one. */
public final class JavaProcess {
  private static final ObjectMapper JSON = new ObjectMapper();

  private JavaProcess() {}

  /**
   * Returns a command line.
   *
   * @param options come after this process's own and so prevail
   */
  public static List<String> command(List<String> options, Class<?> main, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return command;
  }

  /** Tells whether this process, and those that it starts, have their heaps in huge pages. */
  public static boolean hasHugeHeap() {
    return ManagementFactory.getRuntimeMXBean()
        .getInputArguments()
        .contains("-XX:+UseTransparentHugePages");
  }

  /**
   * Runs a process to its end and returns what it passed to {@link #answer}. It prints where this
   * process does.
   *
   * @throws IOException if it fails
   */
  public static <T> T call(
      TypeReference<T> type, List<String> options, Class<?> main, Object... arguments)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile("bsdb-bench", ".json");
    try {
      List<String> command = command(options, main, arguments);
      command.add(file.toString());
      Process process = new ProcessBuilder(command).inheritIO().start();
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
            "%s %s ended with status %d; the cause is printed above"
                .formatted(main.getSimpleName(), List.of(arguments), status));
      }
      return JSON.readValue(file.toFile(), type);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /**
   * Answers a {@link #call}.
   *
   * @param arguments of this process; the last one is the file for the answer
   */
  public static void answer(String[] arguments, Object answer) throws IOException {
    JSON.writeValue(Path.of(arguments[arguments.length - 1]).toFile(), answer);
  }
}
