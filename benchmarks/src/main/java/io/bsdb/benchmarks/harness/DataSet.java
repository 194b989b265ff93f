package io.bsdb.benchmarks.harness;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Records of one kind, as many as are wanted. */
public enum DataSet {
  /**
   * Plain bytes: keys of 16 hexadecimal digits, and values of 100 bytes of JSON that zstd with a
   * dictionary shrinks to about a third.
   */
  JSON,
  /** The same with values cut to 20 to 100 bytes. */
  VARYING,
  /** The same keys, with values of eight zeros. */
  KEYS,
  /** The fields of the JSON as columns of text. */
  ROWS("key", "name", "city", "score", "token"),
  /** Names like those of npm packages. */
  NAMES("name", "version", "license", "publisher"),
  /** A number, the key, three times the number, and the JSON as text. */
  NUMBERS("id", "a", "name"),
  /** A number, the key, and eight columns of text: names, and fields of the JSON. */
  COLUMNS("id", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"),
  /** An item and a time, the key, and a price: ten rows per item, one for each second. */
  HISTORY("item", "valid_from", "price");

  /** The number {@code a} of a {@link #NUMBERS} row, divided by its {@code id}. */
  public static final long FACTOR = 3;

  private static final int SHORTEST = 20;
  private static final String END = "\"}";
  private static final String[] WORDS = words();

  /** So many names differ. */
  private static final int DISTINCT_NAMES = 1 << 24;

  private static final String[] NAME_WORDS =
      ("react vue angular node express webpack babel eslint jest test utils core plugin loader"
              + " parser config client server stream file path http api json yaml css html dom"
              + " router state store form input date time string array object promise async fetch"
              + " cache log logger debug cli tools build bundle types schema validator crypto hash"
              + " token auth session cookie socket event emitter queue worker thread graph")
          .split(" ");
  private static final String[] LICENSES = {
    "MIT", "MIT", "MIT", "MIT", "ISC", "Apache-2.0", "BSD-3-Clause", "GPL-3.0-or-later"
  };

  @SuppressWarnings("ImmutableEnumChecker") // nothing of it changes
  private final @Nullable RowCodec codec;

  private final int keyColumns;

  /** The first column is the key, with a time after it. Keys sort: tables may be in their order. */
  DataSet(String... columns) {
    Schema.Builder schema = Schema.builder().keyEncoding(KeyEncoding.ORDERED);
    for (String column : columns) {
      String type =
          switch (column) {
            case "id", "a", "price" -> "BIGINT";
            case "valid_from" -> "TIMESTAMP_LTZ(3)";
            default -> "STRING";
          };
      schema.column(column, type + " NOT NULL");
    }
    keyColumns = Arrays.asList(columns).contains("valid_from") ? 2 : 1;
    codec =
        columns.length == 0
            ? null
            : RowCodec.of(schema.primaryKey(Arrays.copyOf(columns, keyColumns)).build());
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static String[] words() {
    SplittableRandom random = new SplittableRandom(7);
    String[] words = new String[512];
    for (int i = 0; i < words.length; i++) {
      StringBuilder word = new StringBuilder();
      int length = 4 + random.nextInt(6);
      for (int j = 0; j < length; j++) {
        String letters = j % 2 == 0 ? "bdfgklmnprstvz" : "aeiou";
        word.append(letters.charAt(random.nextInt(letters.length())));
      }
      words[i] = word.toString();
    }
    return words;
  }

  /** Returns the schema; null for plain bytes. */
  public @Nullable Schema schema() {
    return codec == null ? null : codec.schema();
  }

  /** Returns a key, which differs from all others. */
  public byte[] key(long id) {
    return codec == null
        ? hex(Workload.keyNumber(id)).getBytes(US_ASCII)
        : codec.encodeKey(Arrays.copyOf(row(id), keyColumns));
  }

  /** Returns a key that none of so many records has, of a history one between two times. */
  byte[] absentKey(long id, long records) {
    if (this != HISTORY || codec == null) {
      return key(records + id);
    }
    Object[] row = row(id);
    return codec.encodeKey(row[0], ((Instant) row[1]).plusMillis(500));
  }

  public byte[] value(long id) {
    if (codec != null) {
      Object[] row = row(id);
      return codec.encodeValue(Arrays.copyOfRange(row, keyColumns, row.length));
    }
    if (this == KEYS) {
      return new byte[Long.BYTES];
    }
    byte[] json = json(id).getBytes(US_ASCII);
    int spread = Workload.VALUE_LENGTH + 1 - SHORTEST;
    return this == VARYING
        ? Arrays.copyOf(json, SHORTEST + (int) Long.remainderUnsigned(Workload.mix(id), spread))
        : json;
  }

  /** Returns the digits of a number, which sort like it. */
  public static String hex(long number) {
    return HexFormat.of().toHexDigits(number);
  }

  private static String json(long id) {
    long random = Workload.mix(~id);
    StringBuilder value =
        new StringBuilder(Workload.VALUE_LENGTH + 16)
            .append("{\"name\":\"")
            .append(WORDS[(int) (random & 511)])
            .append(' ')
            .append(WORDS[(int) (random >>> 9 & 511)])
            .append("\",\"city\":\"")
            .append(WORDS[(int) (random >>> 18 & 127)])
            .append("\",\"score\":");
    for (int i = 0; i < 4; i++) {
      value.append((char) ('0' + (random >>> (25 + 4 * i) & 7)));
    }
    value.append(",\"token\":\"");
    for (int part = 0; value.length() < Workload.VALUE_LENGTH; part++) {
      value.append(hex(Workload.mix(random + part)));
    }
    value.setLength(Workload.VALUE_LENGTH - END.length());
    return value.append(END).toString();
  }

  /** Returns a row of columns. */
  public Object[] row(long id) {
    long number = Workload.keyNumber(id);
    return switch (this) {
      case ROWS -> row(hex(number), fields(id));
      case NAMES -> names(id);
      case HISTORY ->
          row("item-" + id / 10 * 7_919, new Object[] {Instant.ofEpochSecond(id % 10), number});
      case NUMBERS -> row(number, new Object[] {FACTOR * number, json(id)});
      default -> row(number, names(id), fields(id));
    };
  }

  private static Object[] fields(long id) {
    String[] words = json(id).split("[\"{},:]+", -1);
    return new Object[] {words[2], words[4], words[6], words[8]};
  }

  private static Object[] row(Object key, Object[]... others) {
    return Stream.concat(Stream.of(key), Stream.of(others).flatMap(Stream::of)).toArray();
  }

  /** Returns name, version, license and publisher. */
  private static Object[] names(long id) {
    long random = Workload.mix(id);
    long number = id * 0x9E3779L & DISTINCT_NAMES - 1; // an odd factor: a permutation
    StringBuilder name = new StringBuilder();
    if ((random & 7) == 0) {
      name.append('@').append(word(random >>> 3)).append(word(random >>> 9)).append('/');
    }
    for (int i = 0; i < 4; i++) {
      name.append(i == 0 ? "" : "-").append(word(number >>> (6 * i)));
    }
    return new Object[] {
      name.append(id < DISTINCT_NAMES ? "" : "-" + id / DISTINCT_NAMES).toString(),
      (random >>> 15 & 3) + "." + (random >>> 17 & 15) + "." + (random >>> 21 & 31),
      LICENSES[(int) (random >>> 26 & 7)],
      word(random >>> 29) + "-" + word(random >>> 35)
    };
  }

  private static String word(long bits) {
    return NAME_WORDS[(int) (bits & 63) % NAME_WORDS.length];
  }

  /** Returns the ids of all records, in the order of their keys. */
  public long[] idsByKey(long records) {
    if (codec == null) { // Numbers sort like their digits, and ten times as many fit the heap.
      long[] ids = new long[Math.toIntExact(records)];
      Arrays.setAll(ids, id -> Workload.keyNumber(id) ^ Long.MIN_VALUE);
      Arrays.parallelSort(ids);
      Arrays.setAll(ids, i -> Workload.id(ids[i] ^ Long.MIN_VALUE));
      return ids;
    }
    byte[][] keys = new byte[Math.toIntExact(records)][];
    Arrays.setAll(keys, this::key);
    return LongStream.range(0, records)
        .boxed()
        .sorted((a, b) -> Arrays.compareUnsigned(keys[a.intValue()], keys[b.intValue()]))
        .mapToLong(Long::longValue)
        .toArray();
  }
}
