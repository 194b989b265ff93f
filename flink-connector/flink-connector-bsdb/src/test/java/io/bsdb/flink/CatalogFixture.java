package io.bsdb.flink;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A warehouse with a catalog. */
abstract class CatalogFixture {
  /** Has {@code geo.cities} with two versions, which each test that wants it gets a copy of. */
  @TempDir static Path built;

  @TempDir Path warehouse;

  /** Builds through a DDL of its own, not through the catalog. */
  @BeforeAll
  static void build() throws Exception {
    Sql.batch(2)
        .numbers("s", 100)
        .run(
            """
            CREATE TABLE cities (name STRING NOT NULL, id BIGINT, area DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED)
            WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '3', 'sink.layout' = 'compressed', 'sink.perfect-hash' = 'pilot-dense', 'sink.signature-bits' = '16')"""
                .formatted(built.resolve("geo/cities")))
        .run(
            "INSERT OVERWRITE cities SELECT 'old ' || CAST(f0 AS STRING), f0, 1.5 FROM s WHERE f0 < 10")
        .run("INSERT OVERWRITE cities SELECT 'new ' || CAST(f0 AS STRING), f0, 2.5 FROM s");
  }

  Sql use(Sql session) throws Exception {
    session.tables.getConfig().setLocalTimeZone(ZoneOffset.UTC);
    return session.run(
        "CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(warehouse));
  }

  Sql batch() throws Exception {
    return use(Sql.batch(2).numbers("s", 100));
  }

  Table table(String path) {
    return Table.at(warehouse.resolve(path));
  }

  Manifest current(String path) throws IOException {
    return table(path).manifest(table(path).requireCurrentVersion());
  }

  Sql withCities() throws Exception {
    Copies.copy(built.resolve("geo"), warehouse.resolve("geo"));
    return batch();
  }
}
