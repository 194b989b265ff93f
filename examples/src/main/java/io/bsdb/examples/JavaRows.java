package io.bsdb.examples;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Builds a table with columns, and reads them by name: also of a table that Flink SQL has built.
 */
public final class JavaRows {
  private JavaRows() {}

  /** Runs it with the directory of a table to build, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(Path.of(arguments.length > 0 ? arguments[0] : "rivers"), System.out);
  }

  static void run(Path table, PrintStream out) throws IOException {
    build(table);

    try (SnapshotReader reader = SnapshotReader.open(table)) {
      RowCodec codec = codecOf(reader.manifest());
      for (String name : List.of("Danube", "Rhine", "Styx")) {
        byte[] key = codec.encodeKey(name);
        String text =
            reader.get(
                key,
                (index, bytes, offset, length) -> { // lent until this returns
                  Row row = codec.decode(key, bytes, offset, length);
                  return row.string("name") + ": " + row.intValue("kilometres") + " km";
                });
        out.println(text == null ? name + ": absent" : text);
      }
    }
  }

  /** Returns the codec of a table's rows: the manifest has the schema with which it was built. */
  private static RowCodec codecOf(Manifest manifest) {
    return RowCodec.of(Objects.requireNonNull(manifest.schema(), "a table without columns"));
  }

  private static void build(Path table) throws IOException {
    Schema schema =
        Schema.builder()
            .column("name", "STRING NOT NULL")
            .column("kilometres", "INT")
            .column("flows_into", "STRING")
            .primaryKey("name")
            .build();
    RowCodec codec = RowCodec.of(schema);
    WriterOptions options = WriterOptions.builder().schema(schema).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(codec.encodeKey("Danube"), codec.encodeValue(2850, "Black Sea"));
      writer.add(codec.encodeKey("Rhine"), codec.encodeValue(1230, "North Sea"));
      writer.publish();
    }
  }
}
