package io.bsdb.flink.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

class RecordEncoderTest {
  private static final RowType TYPE =
      RowType.of(
          new LogicalType[] {
            new VarCharType(false, VarCharType.MAX_LENGTH), new IntType(false), new IntType(false)
          },
          new String[] {"name", "id", "n"});

  private final RecordEncoder encoder =
      new RecordEncoder(new DeclaredTable("t", "/t", TYPE, List.of("id", "name")));

  private static RowData row(String name, Integer id, Integer n) {
    return GenericRowData.of(StringData.fromString(name), id, n);
  }

  @Test
  void encodesKeyColumnsInKeyOrder() {
    assertThat(encoder.key(row("ab", 1, 7))).containsExactly(0, 0, 0, 1, 0, 2, 'a', 'b');
  }

  @Test
  void refusesNullInKeyWithTheRow() {
    assertThatThrownBy(() -> encoder.key(row("a", null, 7)))
        .isInstanceOf(ValidationException.class)
        .hasMessage(
            "a row cannot be written to table t: primary key column 'id' is NULL; filter such rows, or give them a value; row=(name='a', id=NULL, n=7)");
  }

  @Test
  void refusesNullInNotNullColumnWithTheRow() {
    assertThatThrownBy(() -> encoder.value(row("a", 1, null)))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("`n` INT NOT NULL has no value; row=(name='a', id=1, n=NULL)");
  }

  @Test
  void saysWhichColumnNoKeyHolds() {
    RowType type = RowType.of(new LogicalType[] {new TimestampType(false, 3)}, new String[] {"at"});
    RecordEncoder times = new RecordEncoder(new DeclaredTable("t", "/t", type, List.of("at")));

    assertThatThrownBy(() -> times.key(GenericRowData.of(TimestampData.fromEpochMillis(1, 2))))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining(
            "column 'at': 2 ns of a millisecond do not fit TIMESTAMP(3) NOT NULL; row=(at=");
  }

  @Test
  void cutsLongColumnsInMessages() {
    assertThatThrownBy(() -> encoder.key(row("x".repeat(70_000), 1, 7)))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("key is 70004 bytes long, must be 1 to 65535; row=(name='xxx")
        .satisfies(failure -> assertThat(failure.getMessage()).hasSizeLessThan(300));
  }
}
