package io.bsdb.benchmarks.harness;

import java.util.Locale;

/** Reports on standard error what is in progress, and since when. */
public final class Progress {
  private static final long START = System.nanoTime();

  private Progress() {}

  /** Reports that something begins. */
  @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library not used here
  public static void step(String format, Object... arguments) {
    System.err.printf(
        Locale.ROOT,
        "%5.0f s  %s%n",
        (System.nanoTime() - START) / 1e9,
        format.formatted(arguments));
  }
}
