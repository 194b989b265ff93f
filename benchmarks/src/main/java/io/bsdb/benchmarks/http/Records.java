package io.bsdb.benchmarks.http;

import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The records that all contenders hold. */
final class Records {
  static final Schema SCHEMA =
      Schema.builder()
          .column("id", "INT NOT NULL")
          .column("mark", "STRING")
          .column("name", "STRING")
          .column("country", "STRING")
          .column("population", "BIGINT")
          .column("elevation", "INT")
          .column("latitude", "DOUBLE")
          .column("longitude", "DOUBLE")
          .primaryKey("id")
          .build();
  private static final String FILL = "-".repeat(100);

  private Records() {}

  static byte[] key(int number) {
    return ("key-" + number).getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns what every value, and no other, begins with. */
  static byte[] mark(int number) {
    return ("n" + number + ";").getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns 100 bytes. */
  static byte[] value(int number) {
    return ("n" + number + ";" + FILL).substring(0, 100).getBytes(StandardCharsets.US_ASCII);
  }

  static void publishBytes(Path table, int count) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(table, WriterOptions.defaults())) {
      for (int i = 0; i < count; i++) {
        writer.add(key(i), value(i));
      }
      writer.publish();
    }
  }

  static void publishRows(Path table, int count) throws IOException {
    RowCodec codec = RowCodec.of(SCHEMA);
    WriterOptions options = WriterOptions.builder().schema(SCHEMA).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (int i = 0; i < count; i++) {
        writer.add(
            codec.encodeKey(i),
            codec.encodeValue(
                "n" + i + ";", "City of " + i, "CH", 1000L * i, i % 4000, i / 7.0, i / 11.0));
      }
      writer.publish();
    }
  }
}
