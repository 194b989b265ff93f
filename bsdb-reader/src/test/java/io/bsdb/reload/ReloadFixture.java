package io.bsdb.reload;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A table to be reloaded, and what is done to it. */
abstract class ReloadFixture {
  @TempDir(factory = InMemory.class)
  Path directory;

  Path table;

  @BeforeEach
  void table() {
    table = directory.resolve("table");
  }

  static void addAll(TableReload reload, Map<String, String> rows) throws IOException {
    for (Map.Entry<String, String> row : rows.entrySet()) {
      reload.add(bytes(row.getKey()), bytes(row.getValue()));
    }
  }

  void build(WriterOptions options, Map<String, String> rows) throws IOException {
    Records.of(rows).publish(table, options);
  }

  static Map<String, String> rows(int count) {
    Map<String, String> rows = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      rows.put("key" + i, "value" + i);
    }
    return rows;
  }

  void applyDelta(Map<String, String> before, Map<String, String> after) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
      for (Map.Entry<String, String> row : after.entrySet()) {
        if (!row.getValue().equals(before.get(row.getKey()))) {
          writer.put(bytes(row.getKey()), bytes(row.getValue()));
        }
      }
      for (String key : before.keySet()) {
        if (!after.containsKey(key)) {
          writer.delete(bytes(key));
        }
      }
      writer.publish();
    }
  }

  static Manifest manifest(ReloadReport report) {
    Manifest manifest = report.manifest();
    assertThat(manifest).isNotNull();
    return manifest;
  }
}
