package io.bsdb.examples;

import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;

/**
 * Builds tables in the order of their keys, of data that it makes up, and looks up what is near a
 * key: the block of an address, the price on a day, the operator of a number.
 */
public final class JavaOrdered {
  private JavaOrdered() {}

  /** Runs it with a directory for the tables, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(Path.of(arguments.length > 0 ? arguments[0] : "ordered"), System.out);
  }

  static void run(Path directory, PrintStream out) throws IOException {
    addresses(directory.resolve("blocks"), out);
    prices(directory.resolve("prices"), out);
    operators(directory.resolve("operators"), out);
  }

  /** The networks are reserved for documentation; the countries are made up. */
  private static void addresses(Path table, PrintStream out) throws IOException {
    Schema schema =
        Schema.builder()
            .column("first_address", "BIGINT NOT NULL")
            .column("last_address", "BIGINT NOT NULL")
            .column("country", "STRING")
            .primaryKey("first_address")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).schema(schema).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (List<String> block :
          List.of(
              List.of("192.0.2.0", "192.0.2.255", "CH"),
              List.of("198.51.100.0", "198.51.100.255", "AT"),
              List.of("203.0.113.0", "203.0.113.255", "DE"))) {
        writer.add(
            codec.encodeKey(number(block.get(0))),
            codec.encodeValue(number(block.get(1)), block.get(2)));
      }
      writer.publish();
    }

    try (SnapshotReader reader = SnapshotReader.open(table)) {
      for (String address : List.of("198.51.100.7", "200.1.2.3")) {
        KeyValue block = reader.ordered().floor(codec.encodeKey(number(address)));
        String country = null;
        if (block != null) {
          Row row = codec.decode(block.key(), block.value());
          if (number(address) <= row.longValue("last_address")) {
            country = row.string("country");
          }
        }
        out.println(address + ": " + (country == null ? "in no block" : country));
      }
    }
  }

  /** An IPv4 address as a number. */
  private static long number(String address) throws IOException {
    long number = 0;
    for (byte octet : InetAddress.getByName(address).getAddress()) {
      number = number << 8 | (octet & 0xFF);
    }
    return number;
  }

  private static void prices(Path table, PrintStream out) throws IOException {
    Schema schema =
        Schema.builder()
            .column("item", "STRING NOT NULL")
            .column("valid_from", "DATE NOT NULL")
            .column("price", "DECIMAL(8, 2)")
            .primaryKey("item", "valid_from")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).schema(schema).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      Map<String, List<String>> prices =
          Map.of("bread", List.of("3.20", "3.50", "3.90"), "milk", List.of("1.40", "1.60"));
      for (Map.Entry<String, List<String>> item : prices.entrySet()) {
        LocalDate day = LocalDate.of(2026, 1, 1);
        for (String price : item.getValue()) {
          writer.add(codec.encodeKey(item.getKey(), day), codec.encodeValue(new BigDecimal(price)));
          day = day.plusMonths(3);
        }
      }
      writer.publish();
    }

    try (SnapshotReader reader = SnapshotReader.open(table)) {
      OrderedReader ordered = reader.ordered();
      KeyValue valid = ordered.floor(codec.encodeKey("bread", LocalDate.of(2026, 5, 17)));
      if (valid != null) {
        Row row = codec.decode(valid.key(), valid.value());
        if ("bread".equals(row.string("item"))) { // else bread had no price yet
          out.println("bread on 17 May: " + row.decimal("price"));
        }
      }

      KeyRange ofBread = KeyRange.prefix(codec.encodeKeyPrefix("bread"));
      try (RecordCursor newestFirst = ordered.range(ofBread.reversed())) {
        while (newestFirst.next()) {
          Row row = codec.decode(newestFirst.key(), newestFirst.value());
          out.println("bread from " + row.date("valid_from") + ": " + row.decimal("price"));
        }
      }
    }
  }

  private static void operators(Path table, PrintStream out) throws IOException {
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(bytes("41"), bytes("Switzerland"));
      writer.add(bytes("4144"), bytes("Zurich"));
      writer.add(bytes("49"), bytes("Germany"));
      writer.publish();
    }

    try (SnapshotReader reader = SnapshotReader.open(table)) {
      for (String dialled : List.of("41446681234", "41791234567", "33123456789")) {
        KeyValue found = reader.ordered().longestPrefix(bytes(dialled));
        out.println(dialled + ": " + (found == null ? "unknown" : text(found.value())));
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
