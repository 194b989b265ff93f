package io.bsdb.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a command reads and writes.
 *
 * @param in standard input
 * @param out results, and nothing else; bytes, because keys and values are
 * @param err messages and progress
 * @param terminal whether a person watches {@code err}
 */
record Console(InputStream in, OutputStream out, PrintStream err, boolean terminal) {
  /** Set by the launcher, which can ask the system. */
  private static final String TERMINAL_PROPERTY = "bsdb.terminal";

  /** The streams of this process, unbuffered. */
  static Console ofProcess() {
    return new Console(
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
        Boolean.getBoolean(TERMINAL_PROPERTY));
  }

  /** A message for people, on a line of its own. */
  void say(String format, @Nullable Object... arguments) {
    err.println(arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments));
  }
}
