package io.bsdb.cli.output;

import java.io.Closeable;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows how far a piece of work is: a bar where a person watches, a line every ten seconds
 * elsewhere. The work sets two counters and pays nothing else; a thread looks at them.
 */
public final class Progress implements Closeable {
  /** Unit in which the position counts. */
  public enum Unit {
    BYTES(" MiB", 1 << 20),
    PARTITIONS("", 1),
    KEYS(" keys", 1);

    private final String label;
    private final long size;

    Unit(String label, long size) {
      this.label = label;
      this.size = size;
    }
  }

  private static final long BAR_INTERVAL_MILLIS = 250;
  private static final long LINE_INTERVAL_MILLIS = 10_000;
  private static final int WIDTH = Integer.getInteger("bsdb.columns", 100);

  private final Console console;
  private final String task;
  private final long total;
  private final Unit unit;
  private final AtomicLong position = new AtomicLong();
  private final AtomicLong records = new AtomicLong();
  private final long started = System.nanoTime();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  private Progress(Console console, String task, long total, Unit unit) {
    this.console = console;
    this.task = task;
    this.total = total;
    this.unit = unit;
    thread = new Thread(this::show, "bsdb-progress");
    thread.setDaemon(true);
  }

  /**
   * Begins to show.
   *
   * @param task such as {@code "reading"}
   * @param total value that {@link #position} will reach; 0 if unknown
   */
  public static Progress start(Console console, String task, long total, Unit unit) {
    Progress progress = new Progress(console, task, total, unit);
    progress.thread.start();
    return progress;
  }

  /** Returns how far the work is, in the unit of the total. */
  public AtomicLong position() {
    return position;
  }

  /** Records done. */
  public AtomicLong records() {
    return records;
  }

  private void show() {
    try (ProgressBar bar = console.terminal() ? bar() : null) {
      long interval = bar == null ? LINE_INTERVAL_MILLIS : BAR_INTERVAL_MILLIS;
      while (!ended.await(interval, TimeUnit.MILLISECONDS)) {
        update(bar);
      }
      if (bar != null) {
        update(bar);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ProgressBar bar() {
    return new ProgressBarBuilder()
        .setTaskName(task)
        .setInitialMax(total == 0 ? -1 : total)
        .setUnit(unit.label, unit.size)
        .setStyle(ProgressBarStyle.ASCII)
        .setUpdateIntervalMillis((int) BAR_INTERVAL_MILLIS)
        .hideEta()
        .setConsumer(new ConsoleProgressBarConsumer(console.err(), WIDTH))
        .build();
  }

  private void update(@Nullable ProgressBar bar) {
    long done = records.get();
    double rate = done / Math.max(1e-3, (System.nanoTime() - started) / 1e9);
    String figures =
        done == 0
            ? TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started) + " s"
            : String.format(Locale.ROOT, "%,d records, %,.0f/s", done, rate);
    long reached = position.get();
    if (bar != null) {
      bar.stepTo(reached);
      bar.setExtraMessage(figures + timeLeft(reached));
    } else if (total == 0) {
      console.say("%s: %s", task, figures);
    } else {
      console.say("%s: %s, %d %%%s", task, figures, 100 * reached / total, timeLeft(reached));
    }
  }

  /** Returns the time left if the rest is as fast as what is done; empty if it is not known. */
  private String timeLeft(long reached) {
    if (reached == 0 || reached >= total) {
      return "";
    }
    double elapsed = (System.nanoTime() - started) / 1e9;
    long seconds = Math.round(elapsed * (total - reached) / reached);
    return String.format(Locale.ROOT, ", %d:%02d left", seconds / 60, seconds % 60);
  }

  @Override
  public void close() {
    ended.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
