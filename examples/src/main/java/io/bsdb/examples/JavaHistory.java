package io.bsdb.examples;

import io.bsdb.reader.KeyValue;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Builds a table with the history of prices, and asks what was valid when something happened. */
public final class JavaHistory {
  private JavaHistory() {}

  /** Runs it with the directory of a table to build, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(Path.of(arguments.length > 0 ? arguments[0] : "prices"), Instant.now(), System.out);
  }

  static void run(Path table, Instant now, PrintStream out) throws IOException {
    RowCodec codec = build(table, now);
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      for (int days : new int[] {25, 15, 7, 1}) {
        Instant ordered = now.minus(Duration.ofDays(days));
        KeyValue valid = reader.ordered().asOf(codec.encodeKeyPrefix("bread"), ordered);
        if (valid != null) {
          BigDecimal price = codec.decode(valid.key(), valid.value()).decimal("price");
          out.println("bread, " + days + " days ago: " + price);
        } else {
          out.println("no bread, " + days + " days ago");
        }
      }
    }
  }

  /** Builds a table in which bread has a price for ten days, none for five, and then another. */
  static RowCodec build(Path table, Instant time) throws IOException {
    Instant now = time.truncatedTo(ChronoUnit.MILLIS); // no more fits the column
    Schema schema =
        Schema.builder()
            .column("item", "STRING")
            .column("valid_from", "TIMESTAMP_LTZ(3)")
            .column("price", "DECIMAL(8, 2)")
            .primaryKey("item", "valid_from")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    WriterOptions options =
        WriterOptions.builder().history(Duration.ofDays(30)).schema(schema).build();
    RowCodec codec = RowCodec.of(schema);
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      Instant from = now.minus(Duration.ofDays(20));
      writer.add(codec.encodeKey("bread", from), codec.encodeValue(new BigDecimal("3.20")));
      Instant until = now.minus(Duration.ofDays(10));
      writer.add(codec.encodeKey("bread", until), RowWriter.ended());
      Instant again = now.minus(Duration.ofDays(5));
      writer.add(codec.encodeKey("bread", again), codec.encodeValue(new BigDecimal("3.50")));
      writer.publish();
    }
    return codec;
  }
}
