package io.bsdb.benchmarks.layouts;

import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records of one kind, as many as are wanted. */
interface DataSet {
  /** The words that name a data set, for messages. */
  String NAMES = "json, rows, names, columns, FILE.csv or text:FILE.csv";

  /** Returns the schema; null for plain bytes. */
  @Nullable Schema schema();

  byte[] key(long id);

  byte[] value(long id);

  /** Returns the data set that a word names. */
  static DataSet named(String word) throws IOException {
    return switch (word) {
      case "json" -> json();
      case "rows" -> rows();
      case "names" -> names();
      case "columns" -> columns();
      default ->
          word.startsWith("text:")
              ? CsvRows.read(Path.of(word.substring("text:".length())), false)
              : CsvRows.read(Path.of(word), true);
    };
  }

  /** Returns the benchmark's own: a key of 16 digits, 100 bytes of JSON. */
  static DataSet json() {
    Workload workload = new Workload(1);
    return new DataSet() {
      @Override
      public @Nullable Schema schema() {
        return null;
      }

      @Override
      public byte[] key(long id) {
        return workload.key(id);
      }

      @Override
      public byte[] value(long id) {
        return workload.value(id);
      }
    };
  }

  /** Returns the fields of {@link #json} as columns of text. */
  static DataSet rows() {
    Workload workload = new Workload(1);
    return new Rows(texts("key", "name", "city", "score", "token")) {
      @Override
      Object[] row(long id) {
        String[] fields = fields(workload, id);
        String key = new String(workload.key(id), StandardCharsets.US_ASCII);
        return new Object[] {key, fields[2], fields[4], fields[6], fields[8]};
      }
    };
  }

  private static String[] fields(Workload workload, long id) {
    return new String(workload.value(id), StandardCharsets.US_ASCII).split("[\"{},:]+", -1);
  }

  /** Returns names as those of packages, each with a version, a license and a publisher. */
  static DataSet names() {
    return new Rows(texts("name", "version", "license", "publisher")) {
      @Override
      Object[] row(long id) {
        return PackageNames.row(id);
      }
    };
  }

  /** Returns rows of a number, their key, and eight columns of text, of both of the above. */
  static DataSet columns() {
    Workload workload = new Workload(1);
    Schema.Builder schema = Schema.builder().column("id", "BIGINT");
    for (int i = 1; i <= 8; i++) {
      schema.column("c" + i, "STRING");
    }
    return new Rows(schema.primaryKey("id").build()) {
      @Override
      Object[] row(long id) {
        Object[] names = PackageNames.row(id);
        String[] fields = fields(workload, id);
        return new Object[] {
          Workload.keyNumber(id),
          names[0],
          names[1],
          names[2],
          names[3],
          fields[2],
          fields[4],
          fields[6],
          fields[8]
        };
      }
    };
  }

  private static Schema texts(String... names) {
    Schema.Builder schema = Schema.builder();
    for (String name : names) {
      schema.column(name, "STRING");
    }
    return schema.primaryKey(names[0]).build();
  }

  /** Rows of a schema whose first column is the key. */
  abstract class Rows implements DataSet {
    private final RowCodec codec;

    Rows(Schema schema) {
      this.codec = RowCodec.of(schema);
    }

    abstract Object[] row(long id);

    @Override
    public Schema schema() {
      return codec.schema();
    }

    @Override
    public byte[] key(long id) {
      return codec.encodeKey(row(id)[0]);
    }

    @Override
    public byte[] value(long id) {
      Object[] row = row(id);
      return codec.encodeValue(Arrays.copyOfRange(row, 1, row.length));
    }
  }

  /** Names like those of npm packages, for {@link #names}. */
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
