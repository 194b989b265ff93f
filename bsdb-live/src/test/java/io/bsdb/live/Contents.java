package io.bsdb.live;

import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.RecordCursor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Reads all records of a table whose keys and values are text. */
final class Contents {
  private Contents() {}

  static Map<String, String> of(Path table) throws IOException {
    try (WritableTable opened = WritableTable.open(table)) {
      return of(opened.cursor());
    }
  }

  /** Reads what a cursor has, and closes it. */
  static Map<String, String> of(RecordCursor cursor) throws IOException {
    try (cursor) {
      return rest(cursor);
    }
  }

  /** Walks to the end; each key comes once. */
  static Map<String, String> rest(RecordCursor cursor) throws IOException {
    Map<String, String> content = new HashMap<>();
    while (cursor.next()) {
      String key = text(cursor.key());
      assertThat(content.put(key, text(cursor.value()))).as(key).isNull();
    }
    assertThatThrownBy(cursor::key).hasMessage("no current record");
    assertThatThrownBy(cursor::value).hasMessage("no current record");
    return content;
  }
}
