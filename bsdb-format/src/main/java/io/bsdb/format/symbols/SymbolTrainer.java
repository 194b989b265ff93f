package io.bsdb.format.symbols;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trains the tables of a partition's records: collects the strings of a sample, each kind for
 * itself, and keeps the tables that save more than they take. Used by one thread.
 */
public final class SymbolTrainer extends ValueTransform {
  /** Sampled bytes of one kind of strings, at most. */
  private static final int MAX_SAMPLE = 1 << 20;

  /** A smaller sample is not worth a table. */
  private static final int MIN_SAMPLE = 512;

  /** A table saves at least one in so many bytes, or is left out: decoding takes time. */
  private static final int LEAST_SAVING = 32;

  private final ValueShape shape;
  private final boolean samplesKeys;
  private final Sample keys = new Sample();
  private final Sample[] samples;
  private byte[] plain = new byte[256];

  /** The sampled strings of one kind. */
  private static final class Sample {
    private byte[] bytes = new byte[256];
    private int[] ends = new int[64];
    private int count;

    private int length() {
      return count == 0 ? 0 : ends[count - 1];
    }

    private void add(byte[] source, int start, int end) {
      int length = end - start;
      int at = length();
      if (length == 0 || length > MAX_SAMPLE - at) {
        return;
      }
      if (bytes.length < at + length) {
        bytes = Arrays.copyOf(bytes, Math.max(at + length, 2 * bytes.length));
      }
      if (count == ends.length) {
        ends = Arrays.copyOf(ends, 2 * count);
      }
      System.arraycopy(source, start, bytes, at, length);
      ends[count++] = at + length;
    }
  }

  /**
   * @param shape of values
   * @param samplesKeys whether keys may be encoded
   */
  public SymbolTrainer(ValueShape shape, boolean samplesKeys) {
    this.samplesKeys = samplesKeys;
    this.samples = new Sample[shape.stringCount()];
    int[] numbers = new int[samples.length];
    for (int i = 0; i < samples.length; i++) {
      samples[i] = new Sample();
      numbers[i] = i;
    }
    this.shape = shape.withTables(numbers);
  }

  /** Adds a record to the sample. */
  public void add(
      ByteBuffer source, int keyOffset, int keyLength, int valueOffset, int valueLength) {
    if (plain.length < Math.max(keyLength, valueLength)) {
      plain = new byte[Math.max(keyLength, valueLength)];
    }
    if (samplesKeys) {
      source.get(keyOffset, plain, 0, keyLength);
      keys.add(plain, 0, keyLength);
    }
    source.get(valueOffset, plain, 0, valueLength);
    if (shape.kind == ValueShape.Kind.STRING) {
      samples[0].add(plain, 0, valueLength);
      return;
    }
    try {
      // What comes out is not looked at, and shorter than what goes in.
      slots(shape, plain, 0, valueLength, new byte[valueLength], 0, FieldSelection.ALL);
    } catch (CorruptSnapshotException e) {
      throw new IllegalStateException("collecting strings does not decode", e);
    }
  }

  @Override
  int string(ValueShape string, byte[] source, int start, int end, byte[] target, int at) {
    samples[string.table].add(source, start, end);
    return at;
  }

  /**
   * Trains the tables.
   *
   * @param scale how many times as large as the sample the records are
   * @return null if no table saves anything
   */
  public @Nullable RecordSymbols train(double scale) {
    List<SymbolTable> tables = new ArrayList<>();
    SymbolTraining training = new SymbolTraining();
    int keyTable = train(training, keys, scale, tables);
    int[] byString = new int[samples.length];
    for (int i = 0; i < samples.length; i++) {
      byString[i] = train(training, samples[i], scale, tables);
    }
    return tables.isEmpty()
        ? null
        : new RecordSymbols(tables, keyTable, shape.withTables(byString));
  }

  private static int train(
      SymbolTraining training, Sample sample, double scale, List<SymbolTable> tables) {
    if (sample.length() < MIN_SAMPLE || tables.size() == ValueShape.NO_TABLE - 1) {
      return ValueShape.NO_TABLE;
    }
    byte[] bytes = Arrays.copyOf(sample.bytes, sample.length());
    int[] ends = Arrays.copyOf(sample.ends, sample.count);
    SymbolTable table = training.train(bytes, ends);
    long encoded = SymbolMatcher.encodedLength(new SymbolMatcher(table), bytes, ends);
    long saved = bytes.length - encoded;
    if (saved * scale <= table.encodedLength() || saved * LEAST_SAVING < bytes.length) {
      return ValueShape.NO_TABLE;
    }
    SymbolTable tried = table.withPercent((int) Math.round(100.0 * encoded / bytes.length));
    int known = tables.indexOf(tried);
    if (known < 0) {
      tables.add(tried);
    }
    return known < 0 ? tables.size() - 1 : known;
  }
}
