package io.bsdb.writer.intake;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Records in the order of their keys, in memory or in a mapped file, as {@link SpillFiles} has
 * them, with every so many bytes the key that stands there. Safe for many threads once complete.
 */
public final class SortedRun {
  /** Least number of a run's samples, unless they would be further apart than {@link #SPACING}. */
  private static final int FEWEST_SAMPLES = 1 << 10;

  private static final int SPACING = 64 << 10;

  private final int spacing;
  private byte[][] keys = new byte[16][];
  private int[] offsets = new int[16];
  private int[] records = new int[16];
  private int samples;
  private int recordCount;
  private int length;
  private ByteBuffer data = ByteBuffer.allocate(0);

  /** Takes the bytes of a run, one record after the other. */
  public interface Target {
    void write(byte[] bytes, int offset, int length) throws IOException;
  }

  private SortedRun(int bytes) {
    this.spacing = Math.max(1, Math.min(SPACING, bytes / FEWEST_SAMPLES));
  }

  /**
   * Writes records in order.
   *
   * @param source holds the records
   * @param starts where they start, in their order
   * @param bytes of all
   */
  public static SortedRun write(byte[] source, int[] starts, int count, int bytes, Target target)
      throws IOException {
    SortedRun run = new SortedRun(bytes);
    ByteBuffer buffer = ByteBuffer.wrap(source);
    int nextSample = 0;
    for (int i = 0; i < count; i++) {
      int start = starts[i];
      long keyNumber = SpillFiles.varint(buffer, start);
      long valueNumber = SpillFiles.varint(buffer, (int) keyNumber);
      int key = (int) valueNumber;
      int value = key + (int) (keyNumber >>> 32);
      int recordLength = value + (int) (valueNumber >>> 32) - start;
      if (run.length >= nextSample) {
        run.sample(Arrays.copyOfRange(source, key, value));
        nextSample = run.length + run.spacing;
      }
      target.write(source, start, recordLength);
      run.length += recordLength;
      run.recordCount++;
    }
    return run;
  }

  private void sample(byte[] key) {
    if (samples == keys.length) {
      keys = Arrays.copyOf(keys, 2 * samples);
      offsets = Arrays.copyOf(offsets, 2 * samples);
      records = Arrays.copyOf(records, 2 * samples);
    }
    keys[samples] = key;
    offsets[samples] = length;
    records[samples++] = recordCount;
  }

  /** Returns where the bytes are. */
  public void at(ByteBuffer bytes) {
    data = bytes;
  }

  public ByteBuffer data() {
    return data;
  }

  public int length() {
    return length;
  }

  public int sampleCount() {
    return samples;
  }

  public byte[] sampleKey(int sample) {
    return keys[sample];
  }

  /** Returns the bytes from a sample to the next one. */
  public int bytesFrom(int sample) {
    return (sample + 1 < samples ? offsets[sample + 1] : length) - offsets[sample];
  }

  /** Returns the records from a sample to the next one. */
  public int recordsFrom(int sample) {
    return (sample + 1 < samples ? records[sample + 1] : recordCount) - records[sample];
  }

  /**
   * A place between two records.
   *
   * @param offset where the next one starts
   * @param records how many stand in front of it
   */
  public record Place(int offset, int records) {}

  public Place start() {
    return new Place(0, 0);
  }

  public Place end() {
    return new Place(length, recordCount);
  }

  /** Returns the place in front of the first record whose key is at least this one. */
  public Place find(byte[] key) {
    int low = 0; // samples with lesser keys
    int high = samples;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(keys[middle], key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) {
      return start();
    }
    RunCursor cursor = new RunCursor(data, 0, offsets[low - 1], length);
    int number = records[low - 1];
    while (cursor.next() && cursor.compare(key) < 0) {
      number++;
    }
    return new Place(cursor.start(), number);
  }
}
