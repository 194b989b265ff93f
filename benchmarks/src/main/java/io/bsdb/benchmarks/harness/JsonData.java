package io.bsdb.benchmarks.harness;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The benchmarks' own records. Keys are 16 hexadecimal digits, values 100 bytes of JSON that zstd
 * with a dictionary shrinks to about a third.
 */
public final class JsonData implements DataSet {
  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final byte[] NAME = ascii("{\"name\":\"");
  private static final byte[] CITY = ascii("\",\"city\":\"");
  private static final byte[] SCORE = ascii("\",\"score\":");
  private static final byte[] TOKEN = ascii(",\"token\":\"");
  private static final byte[][] WORDS = words();

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

  @Override
  public String name() {
    return "json";
  }

  @Override
  public boolean isFixed() {
    return true;
  }

  @Override
  public byte[] key(long id) {
    byte[] key = new byte[Workload.KEY_LENGTH];
    hex(Workload.keyNumber(id), key, 0, key.length);
    return key;
  }

  /** Sorts numbers instead of keys, so that ten times as many fit the heap. */
  @Override
  public long[] idsByKey(long records) {
    long[] ids = new long[Math.toIntExact(records)];
    Arrays.setAll(ids, id -> Workload.keyNumber(id) ^ Long.MIN_VALUE);
    Arrays.parallelSort(ids);
    Arrays.setAll(ids, i -> Workload.id(ids[i] ^ Long.MIN_VALUE));
    return ids;
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

  @Override
  public byte[] value(long id) {
    byte[] value = new byte[Workload.VALUE_LENGTH];
    long random = Workload.mix(~id);
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
    for (int part = 0; end < value.length - 2; part++) {
      int next = Math.min(end + 16, value.length - 2);
      hex(Workload.mix(random + part), value, end, next);
      end = next;
    }
    value[end] = '"';
    value[end + 1] = '}';
    return value;
  }
}
