package io.bsdb.reader.options;

import io.bsdb.format.Internal;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of several equal shares of all keys, by their hash. A process that is only asked for the keys
 * of its share needs to open, and to fetch, only the partitions that hold them.
 *
 * @param index which share, of {@code [0, count)}
 * @param count how many shares there are
 */
public record KeyShare(int index, int count) {
  /** All keys. */
  public static final KeyShare ALL = new KeyShare(0, 1);

  private static final Pattern FORM = Pattern.compile("(\\d{1,9}) of (\\d{1,9})");

  public KeyShare {
    if (count < 1 || index < 0 || index >= count) {
      throw new IllegalArgumentException(
          "share of keys: expected 0<=index<count, actual index=%d count=%d"
              .formatted(index, count));
    }
  }

  /**
   * Reads what {@link #toString} writes, such as {@code 1 of 4}.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static KeyShare parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("expected a share of the keys such as '1 of 4'");
    }
    return new KeyShare(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /** Returns the index of the share that a key belongs to. */
  public static int indexOf(byte[] key, int count) {
    return new Partitioning(count).partition(key);
  }

  /**
   * Returns whether a partition holds keys of this share. In key order any partition may: shares
   * divide hashes.
   *
   * @hidden
   */
  @Internal
  public boolean needs(int partition, Partitioning partitioning) {
    return partitioning.order() == RecordOrder.KEY || needs(partition, partitioning.count());
  }

  /**
   * Returns whether a partition in hash order holds keys of this share: partition {@code p} of
   * {@code P} covers the part {@code [p/P, (p+1)/P)} of all hashes, and share {@code i} of {@code
   * n} the part {@code [i/n, (i+1)/n)}.
   */
  public boolean needs(int partition, int partitionCount) {
    return (long) partition * count < (index + 1L) * partitionCount
        && (long) index * partitionCount < (partition + 1L) * count;
  }

  @Override
  public String toString() {
    return index + " of " + count;
  }
}
