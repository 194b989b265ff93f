package io.bsdb.benchmarks.harness;

import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.commons.math3.distribution.ZipfDistribution;
import org.apache.commons.math3.random.Well19937c;
import org.jspecify.annotations.Nullable;

/** Records of a data set, and queries for them, that are the same on every run. Immutable. */
public record Workload(DataSet data, long records) {
  /** Length of every value of {@link DataSet#JSON}. */
  public static final int VALUE_LENGTH = 100;

  public static final int QUERIES = 1 << 20;

  private static final int PRESENT_PERCENT = 90;
  private static final double ZIPF_EXPONENT = 0.99;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  public Workload(long records) {
    this(DataSet.JSON, records);
  }

  /** Which keys are looked up. */
  public enum Keys {
    /** Nine of ten are present, all equally likely. */
    UNIFORM,
    /** Nine of ten are present, by Zipf with exponent 0.99; the hot keys scattered over all. */
    ZIPF,
    ABSENT,
    /** All are present, of records that are changed. */
    CHANGED,
    /** All are present, of other records. */
    UNCHANGED;

    private boolean ofChanges() {
      return this == CHANGED || this == UNCHANGED;
    }
  }

  /** Returns the end of the names of files that hold these records. */
  public String suffix() {
    return (data == DataSet.JSON ? "" : data + "-") + records;
  }

  /** Returns a permutation of the 64-bit numbers: the finalizer of SplitMix64. */
  public static long mix(long x) {
    long z = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Returns the inverse of {@link #mix}. */
  private static long unmix(long x) {
    long z = (x ^ (x >>> 31) ^ (x >>> 62)) * 0x319642B2D24D8EC3L;
    z = (z ^ (z >>> 27) ^ (z >>> 54)) * 0x96DE1B173F119089L;
    return z ^ (z >>> 30) ^ (z >>> 60);
  }

  /** Returns the number whose hexadecimal digits are the key of a record. */
  public static long keyNumber(long id) {
    return mix(id + 1);
  }

  /** Returns the number of the record whose {@link #keyNumber} this is. */
  public static long id(long keyNumber) {
    return unmix(keyNumber) - 1;
  }

  /** Returns whether a record is one of the tenth that changes, where records do. */
  public static boolean isChanged(long id) {
    return Long.remainderUnsigned(mix(id), 10) == 0;
  }

  /** Returns the key of a record; of an absent one, if {@code id >= records}. */
  public byte[] key(long id) {
    return id < records ? data.key(id) : data.absentKey(id - records, records);
  }

  public byte[] value(long id) {
    return data.value(id);
  }

  public void publish(Path table, WriterOptions options) throws IOException {
    Progress.step("build %s: %,d records", table.getFileName(), records);
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (long id = 0; id < records; id++) {
        writer.add(key(id), value(id));
      }
      writer.publish();
    }
  }

  /**
   * Publishes changes of some records, in one version of a table. They get the values that they
   * have already, so that answers can be checked.
   */
  public void change(Path table, LongStream ids) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
      for (long id : (Iterable<Long>) ids::iterator) {
        writer.put(key(id), value(id));
      }
      writer.publish();
    }
  }

  /** Returns whether these are key and value of one record of {@link DataSet#JSON}. */
  public boolean isValueOf(byte[] key, byte[] value) {
    long keyNumber = Long.parseUnsignedLong(new String(key, StandardCharsets.US_ASCII), 16);
    return Arrays.equals(value, value(id(keyNumber)));
  }

  /** Returns a digest of the length and the last bytes, which are random where values are long. */
  private static long digest(byte[] value) {
    int length = value.length;
    return length < 16
        ? Arrays.hashCode(value)
        : ((long) LONGS.get(value, length - 8) * 31 + (long) LONGS.get(value, length - 16)) * 31
            + length;
  }

  public Queries queries(Keys kind) {
    return queries(kind, QUERIES);
  }

  /** Returns the first of all queries of a kind. */
  public Queries queries(Keys kind, int count) {
    SplittableRandom random = new SplittableRandom(42);
    ZipfDistribution zipf = new ZipfDistribution(new Well19937c(42), (int) records, ZIPF_EXPONENT);
    byte[][] keys = new byte[count][];
    long[] ids = new long[count];
    long[] digests = new long[count];
    for (int i = 0; i < count; i++) {
      boolean present = kind != Keys.ABSENT && random.nextInt(100) < PRESENT_PERCENT;
      if (!present && !kind.ofChanges()) {
        ids[i] = -1;
        keys[i] = key(records + random.nextLong(records));
        continue;
      }
      do {
        ids[i] =
            kind == Keys.ZIPF
                ? Long.remainderUnsigned(mix(zipf.sample()), records)
                : random.nextLong(records);
      } while (kind.ofChanges() && isChanged(ids[i]) != (kind == Keys.CHANGED));
      keys[i] = key(ids[i]);
      digests[i] = digest(value(ids[i]));
    }
    return new Queries(keys, ids, digests);
  }

  /** Keys to ask for, and what checks the answers. Safe for many threads. */
  public final class Queries {
    private final byte[][] keys;
    private final long[] ids;
    private final long[] digests;

    private Queries(byte[][] keys, long[] ids, long[] digests) {
      this.keys = keys;
      this.ids = ids;
      this.digests = digests;
    }

    public int size() {
      return keys.length;
    }

    public byte[] key(int i) {
      return keys[i];
    }

    /** Returns the queries in lists of {@code size}. */
    public List<List<byte[]>> batches(int size) {
      return IntStream.range(0, keys.length / size).mapToObj(i -> keys(i * size, size)).toList();
    }

    /** Returns some of the queries, in a list of their own. */
    public List<byte[]> keys(int from, int count) {
      return Arrays.asList(Arrays.copyOfRange(keys, from, from + count));
    }

    /** Returns whether query {@code i} is for a record. */
    public boolean isPresent(int i) {
      return ids[i] >= 0;
    }

    /** Checks length and 16 bytes of an answer: cheap enough for timed loops. */
    public void check(int i, byte @Nullable [] value) {
      if (value == null ? isPresent(i) : !isPresent(i) || digest(value) != digests[i]) {
        throw wrong(i, value);
      }
    }

    /** Checks all bytes of an answer. */
    public void checkFully(int i, byte @Nullable [] value) {
      if (!Arrays.equals(value, ids[i] < 0 ? null : value(ids[i]))) {
        throw wrong(i, value);
      }
    }

    private IllegalStateException wrong(int i, byte @Nullable [] value) {
      return new IllegalStateException(
          "wrong answer: key=%s expected=%s actual=%s"
              .formatted(
                  new String(keys[i], StandardCharsets.ISO_8859_1),
                  ids[i] < 0 ? "absent" : "record " + ids[i],
                  value == null ? "absent" : new String(value, StandardCharsets.ISO_8859_1)));
    }
  }
}
