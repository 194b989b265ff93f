package io.bsdb.reader;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.ColumnType;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.BufferedWriter;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Builds the tables that the tests of the readers in Rust and Python compare key by key, in {@code
 * target/other-readers}: a directory for each set of records, with its tables and a file {@code
 * records}, of lines of key and value in hexadecimal and, of rows, their JSON. So many records as
 * {@code -Dother.readers.records=1000000} says.
 */
class TablesForOtherReadersTest {
  private static final Path TARGET = Path.of("target", "other-readers");
  private static final int RECORDS = Integer.getInteger("other.readers.records", 4_000);
  private static final long SEED = 24_213;
  private static final HexFormat HEX = HexFormat.of();

  @BeforeAll
  static void clean() throws IOException {
    DirectoryTree.delete(TARGET);
  }

  private static WriterOptions.Builder options(RecordOrder order, Layout layout) {
    return WriterOptions.builder().order(order).layout(layout).partitions(3);
  }

  private static Path table(String set, RecordOrder order, Layout layout) {
    return TARGET
        .resolve(set)
        .resolve(layout.label() + "-" + order.name().toLowerCase(Locale.ROOT));
  }

  private static void describe(String set, TestData data, @Nullable List<String> rows)
      throws IOException {
    Path file = TARGET.resolve(set).resolve("records");
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int i = 0; i < data.count(); i++) {
        out.write(HEX.formatHex(data.keys().get(i)) + "\t" + HEX.formatHex(data.values().get(i)));
        out.write(rows == null ? "\n" : "\t" + rows.get(i) + "\n");
      }
    }
  }

  @Test
  void everyLayoutAndOrder() throws IOException {
    TestData data = TestData.phrases(SEED, RECORDS);
    for (Layout layout : Layout.values()) {
      data.publish(
          table("hash", RecordOrder.HASH, layout), options(RecordOrder.HASH, layout).build());
      if (layout != Layout.SYMBOLS) {
        data.publish(
            table("key", RecordOrder.KEY, layout), options(RecordOrder.KEY, layout).build());
      }
    }
    data.publish(
        TARGET.resolve("hash/sux4j"),
        WriterOptions.builder().perfectHash(PerfectHashConstruction.SUX4J).build());
    data.publish(
        TARGET.resolve("key/without-point-index"),
        options(RecordOrder.KEY, Layout.COMPACT).pointIndex(false).build());
    data.publish(
        TARGET.resolve("hash/approximate"),
        options(RecordOrder.HASH, Layout.COMPACT).keyStorage(KeyStorage.OMITTED).build());
    describe("hash", data, null);
    describe("key", data, null);
    TestData fixed = TestData.random(SEED, RECORDS, Lengths.FIXED, Lengths.FIXED, 40);
    fixed.publish(TARGET.resolve("fixed/blocked"), WriterOptions.defaults());
    describe("fixed", fixed, null);
  }

  @Test
  void changesOverEveryLayoutAndOrder() throws IOException {
    TestData base = TestData.random(SEED, RECORDS, Lengths.VARYING, Lengths.VARYING, 80);
    TestData other = TestData.random(SEED + 1, RECORDS, Lengths.VARYING, Lengths.VARYING, 300);
    for (Layout layout : Layout.values()) {
      for (RecordOrder order : RecordOrder.values()) {
        if (layout == Layout.SYMBOLS && order == RecordOrder.KEY) {
          continue;
        }
        Path path = table("changes", order, layout);
        base.publish(path, options(order, layout).build());
        describe("changes", change(path, base, other), null);
      }
    }
  }

  /** Deletes a tenth of the records, changes a tenth, and adds as many, in two versions. */
  private static TestData change(Path path, TestData base, TestData other) throws IOException {
    TestData changed = TestData.empty();
    for (int half = 0; half < 2; half++) {
      try (DeltaWriter writer = DeltaWriter.create(Table.at(path))) {
        for (int i = half; i < base.count(); i += 2) {
          byte[] key = base.keys().get(i);
          int kind = i / 2 % 10;
          if (kind == 0) {
            writer.delete(key);
          } else if (kind == 1) {
            writer.put(key, other.values().get(i));
            writer.put(other.keys().get(i), base.values().get(i));
            changed.add(key, other.values().get(i));
            changed.add(other.keys().get(i), base.values().get(i));
          } else {
            changed.add(key, base.values().get(i));
          }
        }
        writer.publish();
      }
    }
    return changed;
  }

  @Test
  void rowsOfEveryType() throws IOException {
    rows("rows", schema(), RecordOrder.HASH, Layout.BLOCKED, Layout.COMPRESSED, Layout.SYMBOLS);
    Schema sorts = schema().withKeyEncoding(KeyEncoding.ORDERED);
    rows("rows-in-key-order", sorts, RecordOrder.KEY, Layout.COMPACT);
  }

  private static void rows(String set, Schema schema, RecordOrder order, Layout... layouts)
      throws IOException {
    RowCodec codec = RowCodec.of(schema);
    TestData data = TestData.empty();
    Random random = new Random(SEED);
    for (long id = 0; id < Math.min(RECORDS, 100_000); id++) {
      data.add(codec.encodeKey(id - 100, "key " + id), codec.encodeValue(row(random, (int) id)));
    }
    for (Layout layout : layouts) {
      Path path = table(set, order, layout);
      data.publish(path, options(order, layout).schema(schema).build());
      try (SnapshotReader reader = SnapshotReader.open(path, ReaderOptions.defaults())) {
        data.assertFoundIn(reader);
      }
    }
    RowJsonWriter json = RowJsonWriter.of(schema);
    describe(
        set,
        data,
        IntStream.range(0, data.count())
            .mapToObj(i -> json.row(data.keys().get(i), data.values().get(i)))
            .toList());
  }

  private static Schema schema() {
    return Schema.of(
        ColumnType.parseColumns(
            """
            text STRING, id BIGINT, name STRING, code CHAR(4), bytes BYTES, flag BOOLEAN, \
            tiny TINYINT, small SMALLINT, number INT, big BIGINT, real FLOAT, double DOUBLE, \
            price DECIMAL(6, 2), huge DECIMAL(38, 0), day DATE, time TIME(3), \
            seconds TIMESTAMP(0), micros TIMESTAMP(6), nanos TIMESTAMP(9), \
            instant TIMESTAMP_LTZ(9), numbers ARRAY<INT>, lists ARRAY<ARRAY<STRING>>, \
            point ROW<`x` INT, `tags` ARRAY<STRING>>, counts MAP<STRING, DOUBLE>"""),
        List.of("id", "name"));
  }

  /** A row: the first ones go through all listed values of each column, the others choose. */
  private static @Nullable Object[] row(Random random, int number) {
    Object[][] columns = {
      {
        "",
        "Zürich",
        "\"\\\n\t\0\u2028",
        "\uD83D\uDE00",
        "x".repeat(300),
        "word " + random.nextInt()
      },
      {"", "CH", "Ü", "abcd"},
      {new byte[0], new byte[] {0, -1}, new byte[200]},
      {true, false},
      {(byte) 0, Byte.MIN_VALUE, Byte.MAX_VALUE},
      {(short) -1, Short.MIN_VALUE, Short.MAX_VALUE},
      {0, Integer.MIN_VALUE, Integer.MAX_VALUE, random.nextInt()},
      {0L, Long.MIN_VALUE, Long.MAX_VALUE, random.nextLong()},
      {
        0f,
        -0f,
        Float.NaN,
        Float.MIN_VALUE,
        Float.MAX_VALUE,
        Float.NEGATIVE_INFINITY,
        Float.intBitsToFloat(random.nextInt())
      },
      {
        0.0,
        -0.0,
        Double.NaN,
        Double.MIN_VALUE,
        Double.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        Double.longBitsToDouble(random.nextLong()),
        random.nextInt() / 1000.0
      },
      {
        BigDecimal.ZERO,
        new BigDecimal("9999.99"),
        new BigDecimal("-9999.99"),
        new BigDecimal("0.01")
      },
      {
        BigDecimal.ZERO,
        new BigDecimal("9".repeat(38)),
        new BigDecimal("-" + "9".repeat(38)),
        new BigDecimal(new BigInteger(120, random))
      },
      {
        LocalDate.EPOCH,
        LocalDate.of(1, 1, 1),
        LocalDate.of(9999, 12, 31),
        LocalDate.of(1900, 2, 28)
      },
      {LocalTime.MIDNIGHT, LocalTime.of(23, 59, 59, 999_000_000), LocalTime.of(7, 5)},
      {LocalDateTime.of(1, 1, 1, 0, 0), LocalDateTime.of(9999, 12, 31, 23, 59, 59)},
      {
        LocalDateTime.of(1, 1, 1, 0, 0, 0, 1_000),
        LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_000),
        LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000)
      },
      {
        LocalDateTime.of(1677, 9, 22, 0, 0, 0, 1),
        LocalDateTime.of(2262, 4, 10, 23, 59, 59, 999_999_999),
        LocalDateTime.of(1970, 1, 1, 0, 0)
      },
      {
        Instant.parse("1677-09-22T00:00:00.000000001Z"),
        Instant.parse("2262-04-10T23:59:59.999999999Z"),
        Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000))
      },
      {List.of(), Arrays.asList(1, null, Integer.MIN_VALUE)},
      {List.of(), Arrays.asList(List.of("a", "ü"), null, List.of(), Arrays.asList((Object) null))},
      {Arrays.asList(null, null), List.of(7, List.of()), List.of(-7, Arrays.asList("t", null))},
      {Map.of(), Map.of("a", 1.5), Map.of("", -0.0)},
    };
    @Nullable Object[] row = new Object[columns.length];
    for (int i = 0; i < row.length; i++) {
      Object[] values = columns[i];
      int choice = number < 10 ? number : random.nextInt(values.length + 1);
      row[i] = choice < values.length ? values[choice] : null;
    }
    return row;
  }
}
