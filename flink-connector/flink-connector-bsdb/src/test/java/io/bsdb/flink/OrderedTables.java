package io.bsdb.flink;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.LocalDateTime;

/** Tables in key order as another program builds them, and their DDL. */
final class OrderedTables {
  private final Path directory;
  private final String options;

  /**
   * @param options of all tables, each behind a comma
   */
  OrderedTables(Path directory, String options) {
    this.directory = directory;
    this.options = options;
  }

  interface Records {
    void addTo(SnapshotWriter writer, RowCodec codec) throws Exception;
  }

  private void build(String name, Schema.Builder columns, int partitions, Records records)
      throws Exception {
    Schema schema = columns.keyEncoding(KeyEncoding.ORDERED).build();
    WriterOptions writing =
        WriterOptions.builder()
            .order(RecordOrder.KEY)
            .schema(schema)
            .partitions(partitions)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory.resolve(name), writing)) {
      records.addTo(writer, RowCodec.of(schema));
      writer.publish();
    }
  }

  /** Blocks of six addresses, one from each multiple of ten in {@code [-100, 100)}. */
  void buildBlocks(int partitions, String place) throws Exception {
    build(
        "geo",
        Schema.builder()
            .column("ip_from", "BIGINT")
            .column("ip_to", "BIGINT")
            .column("place", "STRING")
            .primaryKey("ip_from"),
        partitions,
        (writer, codec) -> {
          for (long from = -100; from < 100; from += 10) {
            writer.add(codec.encodeKey(from), codec.encodeValue(from + 5, place + from));
          }
        });
  }

  String blocks() {
    return table(
        "geo",
        "ip_from BIGINT, ip_to BIGINT, place STRING, ip BIGINT METADATA FROM 'floor' VIRTUAL, PRIMARY KEY (ip_from) NOT ENFORCED");
  }

  /** Prices of bread from hour 10 on and from hour 20 on, and of milk from hour 5 on. */
  void buildPrices() throws Exception {
    build(
        "prices",
        Schema.builder()
            .column("item", "STRING")
            .column("valid_from", "TIMESTAMP(3)")
            .column("price", "DECIMAL(6, 2)")
            .primaryKey("item", "valid_from"),
        2,
        (writer, codec) -> {
          writer.add(codec.encodeKey("bread", hour(10)), codec.encodeValue(price("2.10")));
          writer.add(codec.encodeKey("bread", hour(20)), codec.encodeValue(price("2.20")));
          writer.add(codec.encodeKey("milk", hour(5)), codec.encodeValue(price("1.05")));
        });
  }

  private static LocalDateTime hour(int hour) {
    return LocalDateTime.of(2026, 1, 1, hour, 0);
  }

  private static BigDecimal price(String price) {
    return new BigDecimal(price);
  }

  String prices() {
    return table(
        "prices",
        "item STRING, valid_from TIMESTAMP(3), price DECIMAL(6, 2), valid_at TIMESTAMP(3) METADATA FROM 'floor' VIRTUAL, PRIMARY KEY (item, valid_from) NOT ENFORCED");
  }

  /** The prefixes 0, 1, 11 and 110. */
  void buildOperators() throws Exception {
    build(
        "operators",
        Schema.builder()
            .column("prefix", "STRING")
            .column("operator", "STRING")
            .primaryKey("prefix"),
        2,
        (writer, codec) -> {
          for (String prefix : new String[] {"0", "1", "11", "110"}) {
            writer.add(codec.encodeKey(prefix), codec.encodeValue("operator " + prefix));
          }
        });
  }

  String operators() {
    return table(
        "operators",
        "prefix STRING, operator STRING, number STRING METADATA FROM 'longest-prefix' VIRTUAL, above STRING METADATA FROM 'floor' VIRTUAL, PRIMARY KEY (prefix) NOT ENFORCED");
  }

  /** A DDL. */
  String table(String name, String columns) {
    return "CREATE TABLE %s (%s) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.order' = 'key'%s)"
        .formatted(name, columns, directory.resolve(name), options);
  }
}
