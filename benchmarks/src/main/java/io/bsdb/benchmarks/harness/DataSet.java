package io.bsdb.benchmarks.harness;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Records of one kind, as many as are wanted. */
public interface DataSet {
  /** The words that name a data set, for messages. */
  String NAMES = "json, varying, rows, names, columns, FILE.csv or text:FILE.csv";

  /** Returns the word that {@link #named} takes. */
  String name();

  /** Returns the schema; null for plain bytes. */
  default @Nullable Schema schema() {
    return null;
  }

  /** Returns whether all records have one length. */
  default boolean isFixed() {
    return false;
  }

  /** Returns a key, which differs from all others. */
  byte[] key(long id);

  byte[] value(long id);

  /** Returns the ids of all records, in the order of their keys. */
  default long[] idsByKey(long records) {
    byte[][] keys = new byte[Math.toIntExact(records)][];
    Arrays.setAll(keys, this::key);
    return LongStream.range(0, records)
        .boxed()
        .sorted((a, b) -> Arrays.compareUnsigned(keys[a.intValue()], keys[b.intValue()]))
        .mapToLong(Long::longValue)
        .toArray();
  }

  /** Returns the data set that a word names. */
  static DataSet named(String word) throws IOException {
    return switch (word) {
      case "json" -> new JsonData();
      case "varying" -> new Varying();
      case "rows" -> rows();
      case "names" -> names();
      case "columns" -> columns();
      default ->
          word.startsWith("text:")
              ? CsvRows.read(Path.of(word.substring("text:".length())), false)
              : CsvRows.read(Path.of(word), true);
    };
  }

  /** Values of {@link JsonData} cut to 20 to 100 bytes. */
  final class Varying implements DataSet {
    private static final int SHORTEST = 20;
    private final JsonData whole = new JsonData();

    @Override
    public String name() {
      return "varying";
    }

    @Override
    public byte[] key(long id) {
      return whole.key(id);
    }

    @Override
    public byte[] value(long id) {
      int spread = Workload.VALUE_LENGTH + 1 - SHORTEST;
      int length = SHORTEST + (int) Long.remainderUnsigned(Workload.mix(id), spread);
      return Arrays.copyOf(whole.value(id), length);
    }
  }

  private static String[] fields(long id) {
    return new String(new JsonData().value(id), StandardCharsets.US_ASCII).split("[\"{},:]+", -1);
  }

  /** Returns the fields of {@link JsonData} as columns of text. */
  static DataSet rows() {
    return new Rows(
        "rows",
        texts("key", "name", "city", "score", "token"),
        id -> {
          String[] fields = fields(id);
          String key = new String(new JsonData().key(id), StandardCharsets.US_ASCII);
          return new Object[] {key, fields[2], fields[4], fields[6], fields[8]};
        });
  }

  /** Returns names as those of packages, each with a version, a license and a publisher. */
  static DataSet names() {
    return new Rows("names", texts("name", "version", "license", "publisher"), PackageNames::row);
  }

  /** Returns rows of a number, their key, and eight columns of text, of both of the above. */
  static DataSet columns() {
    Schema.Builder schema = Schema.builder().column("id", "BIGINT");
    for (int i = 1; i <= 8; i++) {
      schema.column("c" + i, "STRING");
    }
    return new Rows(
        "columns",
        schema.primaryKey("id").build(),
        id -> {
          Object[] row = new Object[9];
          row[0] = Workload.keyNumber(id);
          System.arraycopy(PackageNames.row(id), 0, row, 1, 4);
          String[] fields = fields(id);
          for (int i = 0; i < 4; i++) {
            row[5 + i] = fields[2 + 2 * i];
          }
          return row;
        });
  }

  private static Schema texts(String... names) {
    Schema.Builder schema = Schema.builder();
    for (String name : names) {
      schema.column(name, "STRING");
    }
    return schema.primaryKey(names[0]).build();
  }

  /** Rows of a schema whose first column is the key; keys sort, so tables may be in their order. */
  final class Rows implements DataSet {
    private final String name;
    private final RowCodec codec;
    private final LongFunction<Object[]> rows;

    Rows(String name, Schema schema, LongFunction<Object[]> rows) {
      this.name = name;
      this.codec = RowCodec.of(schema.withKeyEncoding(KeyEncoding.ORDERED));
      this.rows = rows;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Schema schema() {
      return codec.schema();
    }

    @Override
    public byte[] key(long id) {
      return codec.encodeKey(rows.apply(id)[0]);
    }

    @Override
    public byte[] value(long id) {
      Object[] row = rows.apply(id);
      return codec.encodeValue(Arrays.copyOfRange(row, 1, row.length));
    }
  }

  /** Names like those of npm packages. */
  final class PackageNames {
    /** So many names differ. */
    private static final int NAMES = 1 << 24;

    private static final String[] WORDS =
        ("react vue angular node express webpack babel eslint jest test utils core plugin loader"
                + " parser config client server stream file path http api json yaml css html dom"
                + " router state store form input date time string array object promise async fetch"
                + " cache log logger debug cli tools build bundle types schema validator crypto hash"
                + " token auth session cookie socket event emitter queue worker thread graph")
            .split(" ");

    private static final List<String> LICENSES =
        List.of(
            "MIT", "MIT", "MIT", "MIT", "ISC", "Apache-2.0", "BSD-3-Clause", "GPL-3.0-or-later");

    private PackageNames() {}

    static Object[] row(long id) {
      long random = Workload.mix(id);
      long number = id * 0x9E3779L & NAMES - 1; // an odd factor: a permutation
      StringBuilder name = new StringBuilder();
      if ((random & 7) == 0) {
        name.append('@').append(word(random >>> 3)).append(word(random >>> 9)).append('/');
      }
      for (int i = 0; i < 4; i++) {
        name.append(i == 0 ? "" : "-").append(word(number >>> (6 * i)));
      }
      return new Object[] {
        name.append(id < NAMES ? "" : "-" + id / NAMES).toString(),
        (random >>> 15 & 3) + "." + (random >>> 17 & 15) + "." + (random >>> 21 & 31),
        LICENSES.get((int) (random >>> 26 & 7)),
        word(random >>> 29) + "-" + word(random >>> 35)
      };
    }

    private static String word(long bits) {
      return WORDS[(int) (bits & 63) % WORDS.length];
    }
  }
}
