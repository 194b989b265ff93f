package io.bsdb.examples.quickstart;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Output of the quickstart for people.
 *
 * @param results gets what came out
 * @param messages gets the progress
 */
public record QuickstartOutput(PrintStream results, PrintStream messages, Live live) {
  private static final long LIVE_INTERVAL_MILLIS = 500;
  private static final long LINE_INTERVAL_MILLIS = 5_000;

  /** Whether progress may overwrite itself, as a person watches the messages. */
  public enum Live {
    YES,
    NO
  }

  void message(String text) {
    messages.println(text);
  }

  void section(String title) {
    results.println();
    results.println(title);
  }

  void line(String format, Object... arguments) {
    results.println(arguments.length == 0 ? format : String.format(Locale.ROOT, format, arguments));
  }

  /** Rows in columns as wide as they need. */
  void table(List<List<@Nullable Object>> rows, String... titles) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of(titles));
    for (List<@Nullable Object> row : rows) {
      List<String> line = new ArrayList<>();
      for (int i = 0; i < titles.length; i++) {
        Object value = row.get(i);
        line.add(value == null ? "-" : value.toString());
      }
      lines.add(line);
    }
    for (List<String> line : lines) {
      StringBuilder text = new StringBuilder(" ");
      for (int i = 0; i < titles.length; i++) {
        int column = i;
        int width = lines.stream().mapToInt(each -> each.get(column).length()).max().orElse(0);
        text.append(' ').append(line.get(i)).append(" ".repeat(width - line.get(i).length() + 1));
      }
      results.println(text.toString().stripTrailing());
    }
  }

  /** Begins to show that something is in progress. */
  Progress start(String task) {
    return new Progress(task, null, 0);
  }

  /**
   * Begins to show how far something is.
   *
   * @param rows that are done
   */
  Progress start(String task, Rows rows, long expectedRows) {
    return new Progress(task, rows, expectedRows);
  }

  /** Counts rows while others write them. */
  interface Rows {
    long count() throws IOException;
  }

  /** Shows how far something is, until it is closed. */
  final class Progress implements AutoCloseable {
    private final String task;
    private final @Nullable Rows rows;
    private final long expected;
    private final long started = System.nanoTime();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread = new Thread(this::show, "quickstart-progress");

    private Progress(String task, @Nullable Rows rows, long expected) {
      this.task = task;
      this.rows = rows;
      this.expected = expected;
      thread.setDaemon(true);
      messages.print(live == Live.YES ? task : task + "\n");
      thread.start();
    }

    private void show() {
      boolean overwrite = live == Live.YES;
      long interval = overwrite ? LIVE_INTERVAL_MILLIS : LINE_INTERVAL_MILLIS;
      try {
        while (!ended.await(interval, TimeUnit.MILLISECONDS)) {
          messages.print(overwrite ? "\r" + state() : "  " + state() + "\n");
        }
        messages.print(overwrite ? "\r" + state() + "\n" : "  " + state() + "\n");
        messages.flush();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private String state() {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started);
      String text = live == Live.YES ? task + ", " : "";
      if (rows == null) {
        return text + seconds + " s";
      }
      try {
        return String.format(
            Locale.ROOT, "%s%d s, %,d of %,d rows", text, seconds, rows.count(), expected);
      } catch (IOException e) {
        return text + seconds + " s";
      }
    }

    @Override
    public void close() throws InterruptedException {
      ended.countDown();
      thread.join();
    }
  }
}
