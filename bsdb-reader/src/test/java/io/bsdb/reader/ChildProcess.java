package io.bsdb.reader;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Java processes with the class path of this one. */
final class ChildProcess {
  private ChildProcess() {}

  /**
   * A process that runs a main class.
   *
   * @param before a command that runs the command after it; may be empty
   * @param options of Java
   */
  static ProcessBuilder of(
      List<String> before, List<String> options, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx128m",
            "--enable-native-access=ALL-UNNAMED"));
    command.addAll(options);
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /**
   * What a process printed, and how it ended.
   *
   * @param status of its exit
   * @param lines of both of its outputs
   */
  record Result(int status, List<String> lines) {
    /** The lines that contain a text. */
    List<String> with(String text) {
      return lines.stream().filter(line -> line.contains(text)).toList();
    }
  }

  /** Runs a process to its end. */
  static Result run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.redirectErrorStream(true).start();
    try (BufferedReader output = process.inputReader()) {
      process.getOutputStream().close();
      List<String> lines = output.lines().toList();
      return new Result(process.waitFor(), lines);
    } finally {
      process.destroyForcibly();
    }
  }
}
