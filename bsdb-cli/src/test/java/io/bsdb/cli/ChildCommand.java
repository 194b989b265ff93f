package io.bsdb.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Commands in a process of their own. */
final class ChildCommand {
  private ChildCommand() {}

  /** A process that runs a command, its messages going to a file. */
  static Process start(Path messages, Object... arguments) throws IOException {
    return start(messages, classes(), List.of(arguments));
  }

  /** The class path of production, with something that prints messages of the log. */
  private static String classes() {
    return System.getProperty("bsdb.slf4j-simple")
        + File.pathSeparator
        + System.getProperty("java.class.path");
  }

  /** A process that runs a command and may open only some files. */
  static Process startWithFiles(int files, Path messages, List<?> arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n " + files + "; exec \"$@\"", "sh"));
    command.addAll(command(classes(), arguments));
    return startProcess(messages, command);
  }

  /** The same on another class path. */
  static Process start(Path messages, String classPath, List<?> arguments) throws IOException {
    return startProcess(messages, command(classPath, arguments));
  }

  private static List<String> command(String classPath, List<?> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath,
                Bsdb.class.getName()));
    arguments.forEach(each -> command.add(each.toString()));
    return command;
  }

  private static Process startProcess(Path messages, List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(messages.toFile());
    builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8"));
    return builder.start();
  }
}
