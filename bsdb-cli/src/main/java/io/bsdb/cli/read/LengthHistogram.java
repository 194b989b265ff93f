package io.bsdb.cli.read;

import io.bsdb.cli.output.Report;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Counts keys, or values, by length, in classes that double. Used by one thread. */
final class LengthHistogram {
  private static final int BAR = 40;

  /** Class 0 has length 0, class i the lengths from 2^(i-1) to 2^i - 1. */
  private final long[] counts = new long[33];

  private long total;

  void add(int length) {
    counts[Integer.SIZE - Integer.numberOfLeadingZeros(length)]++;
    total++;
  }

  private static long from(int index) {
    return index == 0 ? 0 : 1L << (index - 1);
  }

  private static long to(int index) {
    return (1L << index) - 1;
  }

  /** Returns a line per class between the shortest and the longest, each after a label. */
  String text(String label) {
    StringBuilder text = new StringBuilder();
    int last = present().max().orElse(-1);
    for (int i = present().min().orElse(0); i <= last; i++) {
      double share = (double) counts[i] / Math.max(1, total);
      text.append(
          String.format(
              Locale.ROOT,
              "%-10s%-19s %,14d %6.2f %% %s%n",
              label,
              i < 2 ? from(i) + " bytes" : from(i) + " to " + to(i) + " bytes",
              counts[i],
              100 * share,
              "#".repeat((int) Math.round(BAR * share))));
    }
    return text.toString();
  }

  private IntStream present() {
    return IntStream.range(0, counts.length).filter(i -> counts[i] > 0);
  }

  /** Returns a list of classes that are not empty. */
  List<Map<String, @Nullable Object>> figures() {
    return present()
        .mapToObj(
            i ->
                new Report()
                    .add("from", from(i))
                    .add("to", to(i))
                    .add("records", counts[i])
                    .asMap())
        .toList();
  }
}
