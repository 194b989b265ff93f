package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/** What a command answered in this process. */
public final class CommandRun {
  private final int status;
  private final byte[] out;
  private final String err;

  private CommandRun(int status, byte[] out, String err) {
    this.status = status;
    this.out = out;
    this.err = err;
  }

  public static CommandRun of(Object... arguments) {
    return withInput(new byte[0], arguments);
  }

  /** Runs a command of words between spaces, of which each {@code %s} is one of the values. */
  static CommandRun line(String words, Object... values) {
    return of(words(words, values));
  }

  /** Returns words between spaces, of which each {@code %s} is one of the values. */
  static Object[] words(String words, Object... values) {
    Iterator<Object> rest = List.of(values).iterator();
    return Arrays.stream(words.split(" ", -1))
        .map(word -> word.equals("%s") ? rest.next() : word)
        .toArray();
  }

  /** Runs a command with something on standard input. */
  static CommandRun withInput(byte[] input, Object... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CommandRun run = run(input, out, line -> {}, arguments);
    return new CommandRun(run.status, out.toByteArray(), run.err);
  }

  /** Runs a command with its results going elsewhere. */
  static CommandRun into(OutputStream out, Object... arguments) {
    return run(new byte[0], out, line -> {}, arguments);
  }

  /** Runs a command that waits while each of its messages is heard. */
  static CommandRun heard(Consumer<String> listener, Object... arguments) {
    return run(new byte[0], OutputStream.nullOutputStream(), listener, arguments);
  }

  private static CommandRun run(
      byte[] input, OutputStream out, Consumer<String> listener, Object... arguments) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream messages =
        new PrintStream(err, true, StandardCharsets.UTF_8) {
          @Override
          public void println(String line) {
            super.println(line);
            listener.accept(line);
          }
        };
    Console console = new Console(new ByteArrayInputStream(input), out, messages, false);
    String[] words = new String[arguments.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = arguments[i].toString();
    }
    int status = Bsdb.execute(console, words);
    return new CommandRun(status, new byte[0], err.toString(StandardCharsets.UTF_8));
  }

  public int status() {
    return status;
  }

  byte[] outBytes() {
    return out.clone();
  }

  String out() {
    return new String(out, StandardCharsets.UTF_8);
  }

  String err() {
    return err;
  }
}
