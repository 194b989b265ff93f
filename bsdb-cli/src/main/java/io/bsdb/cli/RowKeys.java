package io.bsdb.cli;

import io.bsdb.format.row.Column;
import io.bsdb.format.row.KeyView;
import io.bsdb.format.row.Schema;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Keys of rows, for messages. */
final class RowKeys {
  private RowKeys() {}

  /** The text of a key, such as {@code country=DE number=4711}; values as inputs give them. */
  static String describe(Schema schema, byte[] key) {
    KeyView view = new KeyView(schema).wrap(key);
    List<String> parts = new ArrayList<>();
    List<Column> columns = schema.keyColumns();
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      Object value =
          switch (column.type().kind()) {
            case CHAR, VARCHAR -> view.stringAt(i);
            case BOOLEAN -> view.booleanAt(i);
            case TINYINT -> view.byteAt(i);
            case SMALLINT -> view.shortAt(i);
            case INT -> view.intAt(i);
            case BIGINT -> view.longAt(i);
            case FLOAT -> view.floatAt(i);
            case DOUBLE -> view.doubleAt(i);
            case DECIMAL -> view.decimalAt(i);
            case BINARY, VARBINARY -> Base64.getEncoder().encodeToString(view.bytesAt(i));
            case DATE -> LocalDate.ofEpochDay(view.intAt(i));
            case TIME -> LocalTime.ofNanoOfDay(TimeUnit.MILLISECONDS.toNanos(view.intAt(i)));
            case TIMESTAMP -> LocalDateTime.ofInstant(instant(view, i), ZoneOffset.UTC);
            case TIMESTAMP_LTZ -> instant(view, i);
            case INTERVAL_YEAR_MONTH -> Period.ofMonths(view.intAt(i)).normalized();
            case INTERVAL_DAY_TIME -> Duration.ofMillis(view.longAt(i));
            case RAW, BITMAP, ARRAY, MAP, MULTISET, ROW, VARIANT ->
                throw new IllegalArgumentException("not the type of a key: " + column);
          };
      parts.add(column.name() + "=" + value);
    }
    return String.join(" ", parts);
  }

  private static Instant instant(KeyView view, int i) {
    return Instant.ofEpochMilli(view.epochMillisAt(i)).plusNanos(view.nanosOfMilliAt(i));
  }
}
