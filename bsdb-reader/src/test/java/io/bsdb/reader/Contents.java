package io.bsdb.reader;

import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Reads all records of a table whose keys and values are text. */
public final class Contents {
  private Contents() {}

  /** Reads the version in service. */
  public static Map<String, String> of(Path table) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      return of(reader);
    }
  }

  /** Reads the version in service, and verifies its files. */
  public static Map<String, String> verified(Path table) throws IOException {
    String version = Table.at(table).requireCurrentVersion();
    SnapshotVerifier.verify(table.resolve("snapshots").resolve(version));
    return of(table);
  }

  /** Scans a version, in which each key is found, and comes once. */
  public static Map<String, String> of(SnapshotReader reader) throws IOException {
    Map<String, String> content = new HashMap<>();
    try (RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        byte[] value = cursor.value();
        byte[] found = reader.get(key);
        if (!Arrays.equals(found, value)) { // thousands of assertions are slow
          assertThat(found).as(text(key)).isEqualTo(value);
        }
        String other = content.put(text(key), text(value));
        if (other != null) {
          assertThat(other).as(text(key)).isNull();
        }
      }
      assertThatThrownBy(cursor::key).hasMessage("no current record");
      assertThatThrownBy(cursor::value).hasMessage("no current record");
    }
    return content;
  }
}
