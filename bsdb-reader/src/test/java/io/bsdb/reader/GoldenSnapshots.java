package io.bsdb.reader;

import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the golden snapshots of a format version hold, and how they are made. */
final class GoldenSnapshots {
  private static final Schema SCHEMA =
      Schema.builder()
          .column("id", "BIGINT NOT NULL")
          .column("name", "STRING")
          .column("score", "DOUBLE")
          .column("tags", "ARRAY<STRING>")
          .primaryKey("id")
          .build();

  private GoldenSnapshots() {}

  /** One snapshot: its records and its options. */
  record Golden(TestData data, WriterOptions options) {
    /** Whether its keys can be scanned. */
    boolean storesKeys() {
      return options.keyStorage() == io.bsdb.format.KeyStorage.STORED;
    }
  }

  /** By the name of their directory. */
  static Map<String, Golden> all() {
    Map<String, Golden> all = new LinkedHashMap<>();
    for (Layout layout : Layout.values()) {
      WriterOptions options = WriterOptions.builder().layout(layout).partitions(2).build();
      all.put(layout.label(), new Golden(varying(all.size(), 60), options));
    }
    all.put("fixed", new Golden(fixed(5, 60), WriterOptions.builder().partitions(1).build()));
    WriterOptions dictionary =
        WriterOptions.builder().layout(Layout.COMPRESSED).partitions(1).build();
    all.put("dictionary", new Golden(TestData.phrases(6, 1000), dictionary));
    WriterOptions sux4j =
        WriterOptions.builder()
            .layout(Layout.COMPACT)
            .perfectHash(PerfectHashConstruction.SUX4J)
            .partitions(1)
            .build();
    all.put("sux4j", new Golden(varying(7, 300), sux4j));
    WriterOptions approximate =
        WriterOptions.builder()
            .layout(Layout.COMPACT)
            .approximate()
            .signatureBits(13)
            .partitions(1)
            .build();
    all.put("approximate", new Golden(varying(8, 100), approximate));
    WriterOptions empty = WriterOptions.builder().layout(Layout.COMPACT).partitions(3).build();
    all.put("empty", new Golden(TestData.empty(), empty));
    WriterOptions rows =
        WriterOptions.builder().layout(Layout.COMPACT).partitions(1).schema(SCHEMA).build();
    all.put("rows", new Golden(rows(20), rows));
    WriterOptions encoded = rows.toBuilder().layout(Layout.SYMBOLS).build();
    all.put("rows-symbols", new Golden(rows(200), encoded));
    return all;
  }

  private static TestData varying(long seed, int count) {
    return TestData.random(seed, count, Lengths.VARYING, Lengths.VARYING, 40);
  }

  private static TestData fixed(long seed, int count) {
    return TestData.random(seed, count, Lengths.FIXED, Lengths.FIXED, 12);
  }

  private static TestData rows(int count) {
    RowCodec codec = RowCodec.of(SCHEMA);
    TestData data = TestData.empty();
    for (int i = 0; i < count; i++) {
      String name = i % 3 == 0 ? null : "name " + i;
      data.add(codec.encodeKey((long) i), codec.encodeValue(name, i / 4.0, List.of("a" + i, "ü")));
    }
    return data;
  }

  /** Writes all into {@code target}, a directory each; replaces what is there. */
  static void write(Path target, Path temporary) throws IOException {
    for (Map.Entry<String, Golden> entry : all().entrySet()) {
      Path table = temporary.resolve(entry.getKey());
      Golden golden = entry.getValue();
      Manifest manifest = golden.data().publish(table, golden.options());
      Path snapshot = table.resolve("snapshots").resolve(manifest.version());
      Path directory = target.resolve(entry.getKey());
      Files.createDirectories(directory);
      try (Stream<Path> old = Files.list(directory)) {
        for (Path file : old.toList()) {
          Files.delete(file);
        }
      }
      try (Stream<Path> files = Files.list(snapshot)) {
        for (Path file : files.toList()) {
          Files.copy(
              file, directory.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }
}
