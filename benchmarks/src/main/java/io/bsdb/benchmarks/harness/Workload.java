package io.bsdb.benchmarks.harness;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Records and queries that are the same on every run. Keys are 16 hexadecimal digits, values 100
 * bytes of JSON that zstd with a dictionary shrinks to about a third. Immutable.
 *
 * @param records how many
 */
public record Workload(long records) {
  /** Bytes of every key. */
  public static final int KEY_LENGTH = 16;

  /** Bytes of every value. */
  public static final int VALUE_LENGTH = 100;

  /** Number of queries. */
  public static final int QUERIES = 1 << 20;

  private static final int PRESENT_PERCENT = 90;
  private static final double ZIPF_EXPONENT = 0.99;
  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final byte[] NAME = ascii("{\"name\":\"");
  private static final byte[] CITY = ascii("\",\"city\":\"");
  private static final byte[] SCORE = ascii("\",\"score\":");
  private static final byte[] TOKEN = ascii(",\"token\":\"");
  private static final byte[][] WORDS = words();
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  public Workload {
    if (records < 1 || records > 1L << 40) {
      throw new IllegalArgumentException("records: expected 1 to 2^40, actual " + records);
    }
  }

  /** Which keys are looked up. */
  public enum Keys {
    /** Nine of ten are present, all equally likely. */
    UNIFORM,
    /** Nine of ten are present, by Zipf with exponent 0.99; the hot keys scattered over all. */
    ZIPF,
    ABSENT
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[][] words() {
    SplittableRandom random = new SplittableRandom(7);
    byte[][] words = new byte[512][];
    for (int i = 0; i < words.length; i++) {
      words[i] = new byte[4 + random.nextInt(6)];
      for (int j = 0; j < words[i].length; j++) {
        String letters = j % 2 == 0 ? "bdfgklmnprstvz" : "aeiou";
        words[i][j] = (byte) letters.charAt(random.nextInt(letters.length()));
      }
    }
    return words;
  }

  /** Returns a permutation of the 64-bit numbers: the finalizer of SplitMix64. */
  public static long mix(long x) {
    long z = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Returns the inverse of {@link #mix}. */
  public static long unmix(long x) {
    long z = (x ^ (x >>> 31) ^ (x >>> 62)) * 0x319642B2D24D8EC3L;
    z = (z ^ (z >>> 27) ^ (z >>> 54)) * 0x96DE1B173F119089L;
    return z ^ (z >>> 30) ^ (z >>> 60);
  }

  /** Returns the key of a record; of an absent one, if {@code id >= records}. */
  public byte[] key(long id) {
    byte[] key = new byte[KEY_LENGTH];
    hex(keyNumber(id), key, 0, KEY_LENGTH);
    return key;
  }

  /** Returns the number whose hexadecimal digits {@link #key} has. */
  public static long keyNumber(long id) {
    return mix(id + 1);
  }

  /** Returns the number of the record whose {@link #keyNumber} this is. */
  public static long id(long keyNumber) {
    return unmix(keyNumber) - 1;
  }

  /** Ids of all records, in the order of their keys. */
  public long[] idsByKey() {
    long[] keys = new long[Math.toIntExact(records)];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = mix(i + 1L) ^ Long.MIN_VALUE;
    }
    Arrays.parallelSort(keys);
    for (int i = 0; i < keys.length; i++) {
      keys[i] = id(keys[i] ^ Long.MIN_VALUE);
    }
    return keys;
  }

  private static void hex(long bits, byte[] target, int from, int to) {
    long rest = bits;
    for (int i = from; i < to; i++) {
      target[i] = HEX[(int) (rest >>> 60)];
      rest <<= 4;
    }
  }

  private static int append(byte[] target, int position, byte[] text) {
    System.arraycopy(text, 0, target, position, text.length);
    return position + text.length;
  }

  /** Returns the value of a record. */
  public byte[] value(long id) {
    byte[] value = new byte[VALUE_LENGTH];
    long random = mix(~id);
    int end = append(value, 0, NAME);
    end = append(value, end, WORDS[(int) (random & 511)]);
    value[end++] = ' ';
    end = append(value, end, WORDS[(int) (random >>> 9 & 511)]);
    end = append(value, end, CITY);
    end = append(value, end, WORDS[(int) (random >>> 18 & 127)]);
    end = append(value, end, SCORE);
    for (int i = 0; i < 4; i++) {
      value[end++] = (byte) ('0' + (int) (random >>> (25 + 4 * i) & 7));
    }
    end = append(value, end, TOKEN);
    for (int part = 0; end < VALUE_LENGTH - 2; part++) {
      int next = Math.min(end + 16, VALUE_LENGTH - 2);
      hex(mix(random + part), value, end, next);
      end = next;
    }
    value[end] = '"';
    value[end + 1] = '}';
    return value;
  }

  /** Returns whether these are key and value of one record. */
  public boolean isValueOf(byte[] key, byte[] value) {
    long keyNumber = Long.parseUnsignedLong(new String(key, StandardCharsets.US_ASCII), 16);
    return Arrays.equals(value, value(id(keyNumber)));
  }

  /**
   * Returns a digest of a value's last 16 bytes, which are random, so that it differs between
   * records.
   */
  public static long digest(byte[] value) {
    return (long) LONGS.get(value, VALUE_LENGTH - 8) * 31 + (long) LONGS.get(value, 84);
  }

  /** Returns all queries of a kind. */
  public Queries queries(Keys kind) {
    return queries(kind, QUERIES);
  }

  /** Returns the first of all queries of a kind. */
  public Queries queries(Keys kind, int count) {
    SplittableRandom random = new SplittableRandom(42);
    Zipf zipf = kind == Keys.ZIPF ? new Zipf(records, ZIPF_EXPONENT) : null;
    byte[][] keys = new byte[count][];
    long[] ids = new long[count];
    long[] digests = new long[count];
    for (int i = 0; i < count; i++) {
      boolean present = kind != Keys.ABSENT && random.nextInt(100) < PRESENT_PERCENT;
      if (!present) {
        ids[i] = -1;
        keys[i] = key(records + random.nextLong(records));
        continue;
      }
      ids[i] =
          zipf == null
              ? random.nextLong(records)
              : Long.remainderUnsigned(mix(zipf.next(random)), records);
      keys[i] = key(ids[i]);
      digests[i] = digest(value(ids[i]));
    }
    return new Queries(this, keys, ids, digests);
  }

  /** Keys to ask for and how to tell right answers. Safe for many threads. */
  public static final class Queries {
    private final Workload workload;
    private final byte[][] keys;
    private final long[] ids;
    private final long[] digests;

    private Queries(Workload workload, byte[][] keys, long[] ids, long[] digests) {
      this.workload = workload;
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

    /** Checks length and 16 random bytes of an answer: cheap enough for timed loops. */
    public void check(int i, byte @Nullable [] value) {
      boolean right =
          value == null
              ? ids[i] < 0
              : ids[i] >= 0 && value.length == VALUE_LENGTH && digest(value) == digests[i];
      if (!right) {
        throw wrong(i, value);
      }
    }

    /** Checks all bytes of an answer. */
    public void checkFully(int i, byte @Nullable [] value) {
      if (!Arrays.equals(value, ids[i] < 0 ? null : workload.value(ids[i]))) {
        throw wrong(i, value);
      }
    }

    private IllegalStateException wrong(int i, byte @Nullable [] value) {
      return new IllegalStateException(
          "wrong answer: key=%s expected=%s actual=%s"
              .formatted(
                  new String(keys[i], StandardCharsets.US_ASCII),
                  ids[i] < 0 ? "absent" : "record " + ids[i],
                  value == null ? "absent" : new String(value, StandardCharsets.ISO_8859_1)));
    }
  }
}
