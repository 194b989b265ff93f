package io.bsdb.http;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Map;

/** Tables that tests serve. */
final class Tables {
  static final Schema CITIES =
      Schema.builder()
          .column("id", "BIGINT NOT NULL")
          .column("name", "STRING")
          .column("population", "BIGINT")
          .column("area", "DECIMAL(10, 2)")
          .primaryKey("id")
          .build();
  static final Schema PRICES =
      Schema.builder()
          .column("country", "STRING NOT NULL")
          .column("number", "INT NOT NULL")
          .column("price", "DECIMAL(38, 10)")
          .primaryKey("country", "number")
          .build();

  private Tables() {}

  /** Publishes a version of plain bytes. */
  static String publish(Path table, Map<String, String> records, WriterOptions options)
      throws IOException {
    return Records.of(records).publish(table, options).version();
  }

  static String publish(Path table, Map<String, String> records) throws IOException {
    return publish(table, records, WriterOptions.defaults());
  }

  /** Publishes cities 1 to a number, whose populations depend on a seed. */
  static String cities(Path table, int count, long seed) throws IOException {
    RowCodec codec = RowCodec.of(CITIES);
    WriterOptions options =
        WriterOptions.builder()
            .schema(CITIES)
            .partitions(4)
            .properties(Map.of("source", "test"))
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (long id = 1; id <= count; id++) {
        writer.add(
            codec.encodeKey(id),
            codec.encodeValue(
                "City " + id, (1L << 53) + id + seed, BigDecimal.valueOf(id * 100 + 50, 2)));
      }
      Manifest published = writer.publish();
      return published.version();
    }
  }

  static String prices(Path table) throws IOException {
    RowCodec codec = RowCodec.of(PRICES);
    try (SnapshotWriter writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(PRICES).build())) {
      writer.add(codec.encodeKey("DE", 7), codec.encodeValue(new BigDecimal("12.5000000001")));
      writer.add(codec.encodeKey("a/b", 1), codec.encodeValue(new BigDecimal("1.0000000000")));
      return writer.publish().version();
    }
  }

  /** Publishes a table in key order: half of the rows of bread, half of milk, at even numbers. */
  static String series(Path table, int count) throws IOException {
    Schema schema =
        Schema.builder()
            .column("item", "STRING NOT NULL")
            .column("at", "INT NOT NULL")
            .column("text", "STRING")
            .primaryKey("item", "at")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    try (SnapshotWriter writer =
        SnapshotWriter.create(
            table,
            WriterOptions.builder().schema(schema).order(RecordOrder.KEY).partitions(2).build())) {
      for (int i = 0; i < count; i++) {
        int number = i % (count / 2);
        writer.add(
            codec.encodeKey(i < count / 2 ? "bread" : "milk", 2 * number),
            codec.encodeValue("value " + number));
      }
      return writer.publish().version();
    }
  }

  /** Publishes a table of one block of IP addresses, in key order. */
  static String blocks(Path table) throws IOException {
    Schema schema =
        Schema.builder()
            .column("first", "IP NOT NULL")
            .column("name", "STRING")
            .primaryKey("first")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    byte[] first = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, (byte) 192, 0, 2, 0};
    try (SnapshotWriter writer =
        SnapshotWriter.create(
            table, WriterOptions.builder().schema(schema).order(RecordOrder.KEY).build())) {
      writer.add(codec.encodeKey((Object) first), codec.encodeValue("TEST-NET-1"));
      return writer.publish().version();
    }
  }
}
