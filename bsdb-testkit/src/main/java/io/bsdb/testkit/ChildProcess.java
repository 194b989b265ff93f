package io.bsdb.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Java processes with the classes of this one. */
public final class ChildProcess {
  private ChildProcess() {}

  /** Starts a process as cheaply as possible; its errors are printed with those of this one. */
  public static Process start(Class<?> main, String... arguments) throws IOException {
    List<String> options =
        List.of(
            "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory",
            "-cp",
            withoutLog4jCore(classPath()));
    return of(List.of(), options, main, arguments)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** To start what logs to files takes longer than all else. */
  private static String withoutLog4jCore(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator, -1))
        .filter(entry -> !new File(entry).getName().startsWith("log4j-core"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Returns a process that runs a main class. */
  public static ProcessBuilder of(Class<?> main, String... arguments) {
    return of(List.of(), List.of(), main, arguments);
  }

  /**
   * Returns a process that runs a main class. Its classes are not verified, which would load others
   * early: they are loaded when they are first used, be it in the midst of a failure.
   *
   * @param before a command that runs the command after it; may be empty
   * @param options of Java; later ones count
   */
  public static ProcessBuilder of(
      List<String> before, List<String> options, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-cp",
            classPath(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-Xmx128m",
            "--enable-native-access=ALL-UNNAMED"));
    command.addAll(options);
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /**
   * The lines that a process printed, and its exit status.
   *
   * @param status of its exit
   * @param lines of both of its outputs
   */
  public record Result(int status, List<String> lines) {
    /** Returns the lines that contain a text. */
    public List<String> with(String text) {
      return lines.stream().filter(line -> line.contains(text)).toList();
    }
  }

  /** Runs a process to its end; an interruption ends it, and those that it has started. */
  public static Result run(ProcessBuilder builder) throws IOException, InterruptedException {
    Path output = Files.createTempFile("child", ".txt"); // to read from a pipe is not interrupted
    Process process = null;
    try {
      process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
      process.getOutputStream().close();
      int status = process.waitFor();
      return new Result(status, Files.readAllLines(output));
    } finally {
      if (process != null) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      Files.delete(output);
    }
  }
}
