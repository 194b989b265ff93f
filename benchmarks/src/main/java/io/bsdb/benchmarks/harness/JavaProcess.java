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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A process with the Java, the options and the class path of this one. It runs a task, a record
 * that it gets as JSON, and answers, one line to a line. What it prints otherwise goes to standard
 * error.
 */
public final class JavaProcess implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final PrintStream ANSWERS = System.out;

  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  private JavaProcess(Process process) {
    this.process = process;
    this.in = process.outputWriter(StandardCharsets.UTF_8);
    this.out = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts a process whose task {@link #converse}s.
   *
   * @param options come after this process's own and so prevail
   */
  public static JavaProcess start(List<String> options, Callable<?> task) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(options);
    command.add(JavaProcess.class.getName());
    command.add(task.getClass().getName());
    command.add(JSON.writeValueAsString(task));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = builder.start();
    // However this process ends: the other one would go on.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "bench-end"));
    return new JavaProcess(process);
  }

  /**
   * Runs a task in a process of its own to its end, and returns what it returns.
   *
   * @throws IOException if it fails
   */
  public static <T> T call(TypeReference<T> type, List<String> options, Callable<T> task)
      throws IOException {
    try (JavaProcess process = start(options, task)) {
      return JSON.readValue(process.ask("what it returns"), type);
    }
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

  /** Runs a task. Arguments: its class, and its components as JSON. */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = answers();
    Object task = JSON.readValue(arguments[1], Class.forName(arguments[0]));
    answers.println(JSON.writeValueAsString(((Callable<?>) task).call()));
    if (task instanceof Killed) {
      Runtime.getRuntime().halt(0);
    }
  }

  /** A task whose process ends as if it were killed, when it has answered. */
  public interface Killed {}

  /** Answers a question. */
  public interface Answers {
    String answer(String question) throws Exception;
  }

  /** Returns where answers alone go; from now on, what libraries print goes elsewhere. */
  public static PrintStream answers() {
    System.setOut(System.err);
    return ANSWERS;
  }

  /** Answers all questions of {@link #ask}. */
  public static void converse(Answers how) throws Exception {
    PrintStream answers = answers();
    try (BufferedReader questions =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        answers.println(how.answer(line));
      }
    }
  }

  /** Tells whether this process, and those that it starts, have their heaps in huge pages. */
  public static boolean hasHugeHeap() {
    return ManagementFactory.getRuntimeMXBean()
        .getInputArguments()
        .contains("-XX:+UseTransparentHugePages");
  }
}
