package io.bsdb.examples.quickstart;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.zip.GZIPInputStream;

/** The table of places, as {@code 1-cities.sql} declares it. */
public final class Places {
  static final Schema SCHEMA =
      Schema.builder()
          .column("geoname_id", "BIGINT NOT NULL")
          .column("name", "STRING")
          .column("country_code", "STRING")
          .column("admin1_code", "STRING")
          .column("timezone", "STRING")
          .column("population", "BIGINT")
          .column("latitude", "DOUBLE")
          .column("longitude", "DOUBLE")
          .primaryKey("geoname_id")
          .build();

  private Places() {}

  /**
   * Builds a snapshot and puts it in service.
   *
   * @param csv the places, with a header line, compressed by gzip
   * @param table the table's directory
   * @return the ids of the places, from the lowest
   */
  public static long[] build(Path csv, Path table) throws IOException {
    RowCodec codec = RowCodec.of(SCHEMA);
    LongStream.Builder ids = LongStream.builder();
    try (var writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(SCHEMA).build())) {
      read(
          csv,
          row -> {
            writer.add(codec.encodeKey(row), codec.encodeValue(row));
            ids.add(number(row, "geoname_id"));
          });
      writer.publish();
    }
    long[] sorted = ids.build().toArray();
    Arrays.sort(sorted);
    return sorted;
  }

  /** Returns the value of a numeric column. */
  public static long number(Map<String, Object> row, String column) {
    return (Long) Objects.requireNonNull(row.get(column), column);
  }

  /** Takes a row, by the names of its columns. */
  public interface RowConsumer {
    void accept(Map<String, Object> row) throws IOException;
  }

  /** Reads the places, in the order of the file. */
  public static void read(Path csv, RowConsumer places) throws IOException {
    try (var lines =
            new BufferedReader(
                new InputStreamReader(
                    new GZIPInputStream(Files.newInputStream(csv)), StandardCharsets.UTF_8));
        MappingIterator<Map<String, String>> rows =
            new CsvMapper()
                .readerForMapOf(String.class)
                .with(CsvSchema.emptySchema().withHeader())
                .readValues(lines)) {
      while (rows.hasNext()) {
        Map<String, String> fields = rows.next();
        places.accept(row(Long.parseLong(fields.get("geoname_id")), fields));
      }
    }
  }

  private static Map<String, Object> row(long id, Map<String, String> fields) {
    return Map.of(
        "geoname_id", id,
        "name", fields.get("name"),
        "country_code", fields.get("country_code"),
        "admin1_code", fields.get("admin1_code"),
        "timezone", fields.get("timezone"),
        "population", Long.valueOf(fields.get("population")),
        "latitude", Double.valueOf(fields.get("latitude")),
        "longitude", Double.valueOf(fields.get("longitude")));
  }
}
