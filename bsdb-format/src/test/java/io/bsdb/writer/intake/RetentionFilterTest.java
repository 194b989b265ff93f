package io.bsdb.writer.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Validity;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionFilterTest {
  private static Schema schema(String time) {
    return Schema.builder()
        .column("item", "STRING")
        .column("changed_at", time)
        .primaryKey("item", "changed_at")
        .keyEncoding(KeyEncoding.ORDERED)
        .build();
  }

  private static byte[] key(Schema schema, String item, long millis, int nanos) {
    return KeyWriter.of(schema).writeString(item).writeTimestamp(millis, nanos).toBytes();
  }

  private static boolean replaces(long horizon, Schema schema, byte[] newer, byte[] older) {
    Validity validity = new Validity(Duration.ofDays(1), Instant.ofEpochMilli(horizon));
    RetentionFilter filter = Objects.requireNonNull(RetentionFilter.of(schema, validity));
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(newer);
    both.writeBytes(older);
    return filter.replaces(both.toByteArray(), 0, newer.length, newer.length, older.length);
  }

  @ParameterizedTest
  @ValueSource(longs = {1000, 0, -1, -1000})
  void rowsGoThatWereReplacedAtTheHorizonOrBefore(long horizon) {
    for (String time : new String[] {"TIMESTAMP(3)", "TIMESTAMP_LTZ(0)", "TIMESTAMP_LTZ(9)"}) {
      Schema schema = schema(time);
      byte[] older = key(schema, "a", horizon - 5000, 0);
      assertThat(replaces(horizon, schema, key(schema, "a", horizon, 0), older)).isTrue();
      assertThat(replaces(horizon, schema, key(schema, "a", horizon - 1, 0), older)).isTrue();
      assertThat(replaces(horizon, schema, key(schema, "a", horizon + 1, 0), older)).isFalse();
      assertThat(replaces(horizon, schema, key(schema, "b", horizon, 0), older)).isFalse();
      assertThat(replaces(horizon, schema, key(schema, "ab", horizon, 0), older)).isFalse();
    }
    Schema nanos = schema("TIMESTAMP(9)");
    byte[] older = key(nanos, "a", horizon - 5000, 999_999);
    assertThat(replaces(horizon, nanos, key(nanos, "a", horizon - 1, 999_999), older)).isTrue();
    assertThat(replaces(horizon, nanos, key(nanos, "a", horizon, 1), older)).isFalse();
  }

  @Test
  void keysOfOtherLengthsAreKept() {
    Schema schema = schema("TIMESTAMP(3)");
    byte[] key = key(schema, "a", 0, 0);
    assertThat(replaces(1, schema, new byte[] {1}, new byte[] {1})).isFalse();
    assertThat(replaces(1, schema, new byte[8], new byte[8])).isFalse();
    assertThat(replaces(1, schema, key, new byte[] {1})).isFalse();
  }

  @Test
  void thereIsNoneWithoutAHorizon() {
    Schema schema = schema("TIMESTAMP(3)");
    assertThat(RetentionFilter.of(schema, null)).isNull();
    assertThat(RetentionFilter.of(schema, Validity.FOREVER)).isNull();
    assertThat(RetentionFilter.of(schema, new Validity(Duration.ofDays(1), null))).isNull();
  }
}
