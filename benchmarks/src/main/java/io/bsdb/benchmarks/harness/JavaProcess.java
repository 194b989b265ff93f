package io.bsdb.benchmarks.harness;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process with the Java, the options and the class path of this one, that answers when it is
 * asked, one line to a line, or once, at its end.
 */
public final class JavaProcess implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  private JavaProcess(Process process) {
    this.process = process;
    this.in = process.outputWriter(StandardCharsets.UTF_8);
    this.out = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts a process that {@link #converse}s.
   *
   * @param options come after this process's own and so prevail
   */
  public static JavaProcess start(List<String> options, Class<?> main, Object... arguments)
      throws IOException {
    return new JavaProcess(
        new ProcessBuilder(command(options, main, arguments))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /** Returns the answer to a question. */
  public String ask(String question) throws IOException {
    in.write(question + "\n");
    in.flush();
    String line = out.readLine();
    if (line == null) {
      throw new IOException("a process ended; the cause is printed above");
    }
    return line;
  }

  /** Ends the conversation, and waits for the process. */
  @Override
  public void close() throws IOException {
    try {
      in.close();
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroy();
    }
  }

  /** Answers a question. */
  public interface Answers {
    String answer(String question) throws Exception;
  }

  /** Returns where answers alone go; from now on, what libraries print goes elsewhere. */
  public static PrintStream answers() {
    PrintStream answers = System.out;
    System.setOut(System.err);
    return answers;
  }

  /** Answers all questions of {@link #ask}. */
  public static void converse(PrintStream answers, Answers how) throws Exception {
    try (BufferedReader questions =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        answers.println(how.answer(line));
      }
    }
  }

  private static List<String> command(List<String> options, Class<?> main, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(options);
    command.add(main.getName());
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
      // However this process ends: the other one would go on.
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
