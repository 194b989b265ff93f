package io.bsdb.cli.output;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Streams that a command reads and writes.
 *
 * @param in standard input
 * @param out results, and nothing else; bytes, because keys and values are
 * @param err messages and progress
 * @param terminal whether a person watches {@code err}
 */
public record Console(InputStream in, OutputStream out, PrintStream err, boolean terminal) {
  /** Set by the launcher, which can ask the system. */
  private static final String TERMINAL_PROPERTY = "bsdb.terminal";

  private static final int MAX_MESSAGE = 4_000;

  public Console {
    out = new StandardOutput(out);
  }

  /** Returns the streams of this process, unbuffered; an interrupt ends a read. */
  public static Console ofProcess() {
    return new Console(
        Channels.newInputStream(new FileInputStream(FileDescriptor.in).getChannel()),
        new FileOutputStream(FileDescriptor.out),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
        Boolean.getBoolean(TERMINAL_PROPERTY));
  }

  /** Prints a message for people, on one line whatever it quotes; cut in the middle if long. */
  public void say(String format, @Nullable Object... arguments) {
    String text = arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments);
    int length = text.length();
    if (length > MAX_MESSAGE) { // such as the columns of a wide schema
      text =
          "%s … (%d characters) … %s"
              .formatted(
                  text.substring(0, MAX_MESSAGE / 2),
                  length,
                  text.substring(length - MAX_MESSAGE / 2));
    }
    err.println(escaped(text));
  }

  /**
   * Writes the result of a command that has changed something.
   *
   * @param done effect that remains if the result cannot be written
   */
  public void answer(String result, String done) throws IOException {
    try {
      out.write(result.getBytes(StandardCharsets.UTF_8));
    } catch (StandardOutput.Failure e) {
      say("bsdb: %s", done);
      throw e;
    }
  }

  /** Returns a text without control characters, which terminals would obey. */
  public static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              if (point == '\t') {
                escaped.append("\\t");
              } else if (Character.isISOControl(point)) {
                escaped.append(String.format(Locale.ROOT, "\\u%04x", point));
              } else {
                escaped.appendCodePoint(point);
              }
            });
    return escaped.toString();
  }
}
