package io.bsdb.benchmarks.harness;

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
import org.apache.flink.util.function.FunctionWithException;

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

  /**
   * Starts a process whose task {@link #converse}s.
   *
   * @param options come after this process's own and so prevail
   */
  public JavaProcess(List<String> options, Callable<?> task) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(options);
    command.add(JavaProcess.class.getName());
    command.add(task.getClass().getName());
    command.add(JSON.writeValueAsString(task));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    in = process.outputWriter(StandardCharsets.UTF_8);
    out = process.inputReader(StandardCharsets.UTF_8);
    // However this process ends: the other one would go on.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "bench-end"));
  }

  /**
   * Runs a task in a process of its own to its end, and returns what it returns.
   *
   * @throws IOException if it fails
   */
  public static <T> T call(List<String> options, Callable<T> task) throws Exception {
    var type = JSON.constructType(task.getClass().getMethod("call").getGenericReturnType());
    try (JavaProcess process = new JavaProcess(options, task)) {
      return JSON.readValue(process.answer(), type);
    }
  }

  public String answer() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("a process ended; the cause is printed above");
    }
    return line;
  }

  /** Returns the answer to a question. */
  public String ask(String question) throws IOException {
    in.write(question + "\n");
    in.flush();
    return answer();
  }

  /** Ends the process as if it had failed. */
  public void kill() {
    process.destroyForcibly();
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
    System.setOut(System.err); // what libraries print
    Object task = JSON.readValue(arguments[1], Class.forName(arguments[0]));
    ANSWERS.println(JSON.writeValueAsString(((Callable<?>) task).call()));
  }

  /** Answers {@code ready}, and then all questions of {@link #ask}. */
  public static void converse(FunctionWithException<String, String, Exception> how)
      throws Exception {
    System.setOut(System.err);
    ANSWERS.println("ready");
    try (BufferedReader questions =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        ANSWERS.println(how.apply(line));
      }
    }
  }
}
