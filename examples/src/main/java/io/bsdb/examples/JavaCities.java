package io.bsdb.examples;

import io.bsdb.examples.quickstart.Places;
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
import java.nio.file.Path;

/**
 * Sorts the places of {@code examples/data} by country and population, and looks around in them.
 */
public final class JavaCities {
  private static final Schema SCHEMA =
      Schema.builder()
          .column("country_code", "STRING NOT NULL")
          .column("population", "BIGINT NOT NULL")
          .column("geoname_id", "BIGINT NOT NULL")
          .column("name", "STRING")
          .primaryKey("country_code", "population", "geoname_id")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  private JavaCities() {}

  /** Runs it with the file of places and a directory for the table, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(
        Path.of(arguments.length > 0 ? arguments[0] : "examples/data/cities500.csv.gz"),
        Path.of(arguments.length > 1 ? arguments[1] : "cities-by-population"),
        System.out);
  }

  static void run(Path csv, Path table, PrintStream out) throws IOException {
    RowCodec codec = RowCodec.of(SCHEMA);
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).schema(SCHEMA).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      Places.read(
          csv, place -> writer.add(codec.encodeKey(place), codec.encodeValue(place.get("name"))));
      writer.publish();
    }

    try (SnapshotReader reader = SnapshotReader.open(table)) {
      OrderedReader places = reader.ordered();
      for (String country : new String[] {"CH", "JP", "XX"}) {
        KeyValue below = places.lower(codec.encodeKey(country, 1_000_000L, 0L));
        Row town = below == null ? null : codec.decode(below.key(), below.value());
        out.println(
            town == null || !country.equals(town.string("country_code"))
                ? "no place in " + country
                : "the largest below a million in %s: %s, %d"
                    .formatted(country, town.string("name"), town.longValue("population")));
      }

      KeyRange ofSwitzerland = KeyRange.prefix(codec.encodeKeyPrefix("CH")).reversed();
      try (RecordCursor largest = places.range(ofSwitzerland)) {
        for (int i = 1; i <= 3 && largest.next(); i++) {
          Row town = codec.decode(largest.key(), largest.value());
          out.println(i + ". " + town.string("name") + ": " + town.longValue("population"));
        }
      }
    }
  }
}
