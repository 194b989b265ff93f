package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnTypeTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CHAR(2)",
        "VARCHAR(10)",
        "STRING",
        "BOOLEAN",
        "BINARY(16)",
        "VARBINARY(3)",
        "BYTES NOT NULL",
        "DECIMAL(10, 2)",
        "DECIMAL(38, 38) NOT NULL",
        "TINYINT",
        "SMALLINT",
        "INT NOT NULL",
        "BIGINT",
        "FLOAT",
        "DOUBLE",
        "DATE",
        "TIME(3)",
        "TIMESTAMP(9)",
        "TIMESTAMP_LTZ(0)",
        "ARRAY<INT NOT NULL>",
        "ARRAY<ARRAY<STRING> NOT NULL> NOT NULL",
        "MAP<STRING NOT NULL, DECIMAL(3, 1)>",
        "ROW<`a` INT, `b c``d` ROW<`x` DATE NOT NULL> NOT NULL>",
        "ROW<>"
      })
  void textRoundTrips(String text) {
    ColumnType type = ColumnType.parse(text);
    assertThat(type).hasToString(text).isEqualTo(ColumnType.parse(type.toString()));
    assertThat(type.hashCode()).isEqualTo(ColumnType.parse(text).hashCode());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "int|INT",
        "  VarChar ( 2147483647 )  not  null |STRING NOT NULL",
        "VARBINARY(2147483647)|BYTES",
        "DECIMAL|DECIMAL(10, 0)",
        "DECIMAL(5)|DECIMAL(5, 0)",
        "TIME|TIME(0)",
        "TIMESTAMP|TIMESTAMP(6)",
        "timestamp_ltz|TIMESTAMP_LTZ(6)",
        "row<a int,B_2 string>|ROW<`a` INT, `B_2` STRING>",
      })
  void readsLooserSpellings(String text, String canonical) {
    assertThat(ColumnType.parse(text)).hasToString(canonical);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|position 0: expected a type, found the end",
        "INTEGER|position 0: unknown type INTEGER, found \"INTEGER\"",
        "INT NULL|position 4: expected NOT NULL or the end of the type, found \"NULL\"",
        "INT NOT|position 7: expected NULL, found the end",
        "INT x|position 4: expected NOT NULL or the end of the type, found \"x\"",
        "INT)|position 3: expected the end, found \")\"",
        "CHAR|position 4: expected (, found the end",
        "CHAR(0)|position 0: CHAR length is 0, must be 1 to 2147483647, found \"CHAR(0)\"",
        "CHAR(2147483648)|position 5: expected a number",
        "CHAR(-1)|position 5: expected a number",
        "ARRAY<DECIMAL(39, 0)>|position 6: DECIMAL precision is 39, must be 1 to 38",
        "DECIMAL(3, 4)|DECIMAL scale is 4, must be 0 to 3",
        "TIME(10)|TIME precision is 10, must be 0 to 9",
        "ARRAY<VARIANT>|position 6: unknown type VARIANT, found \"VARIANT>\"",
        "ARRAY<INT|position 9: expected >, found the end",
        "MAP<INT>|position 7: expected ,, found \">\"",
        "ROW<`a` INT,>|position 12: expected a name",
        "ROW<`a INT>|position 4: unclosed `",
        "ROW<a INT, a INT>|position 0: duplicate field 'a' in ROW type",
        "ROW<` ` INT>|position 4: expected a name",
      })
  void namesThePositionOfAMistake(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnType.parse(text))
        .withMessageContaining(message);
  }

  @Test
  void boundsNestingAndLength() {
    int levels = ColumnType.MAX_DEPTH - 1;
    String deepest = "ARRAY<".repeat(levels) + "INT" + ">".repeat(levels);
    ColumnType type = ColumnType.parse(deepest);
    assertThat(type).hasToString(deepest);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnType.array(type))
        .withMessage("type is nested deeper than 32");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnType.parse("ARRAY<".repeat(100_000)))
        .withMessageContaining("position 192: nested deeper than 32");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnType.parse(" ".repeat(ColumnType.MAX_TEXT_LENGTH + 1)))
        .withMessageContaining("more than 1048576");
  }

  @Test
  void nullabilityIsPartOfTheType() {
    ColumnType bigint = ColumnType.of(ColumnType.Kind.BIGINT);
    assertThat(bigint.isNullable()).isTrue();
    assertThat(bigint.notNull()).isNotEqualTo(bigint).hasToString("BIGINT NOT NULL");
    assertThat(bigint.notNull().nullable()).isEqualTo(bigint);
  }

  @Test
  void tellsItsParameters() {
    assertThat(ColumnType.decimal(10, 2).precision()).isEqualTo(10);
    assertThat(ColumnType.decimal(10, 2).scale()).isEqualTo(2);
    assertThat(ColumnType.string().length()).isEqualTo(ColumnType.UNLIMITED);
    assertThat(ColumnType.timestamp(3).precision()).isEqualTo(3);
    assertThat(ColumnType.array(ColumnType.bytes()).elementType()).isEqualTo(ColumnType.bytes());
    ColumnType map = ColumnType.map(ColumnType.string(), ColumnType.time(0));
    assertThat(map.keyType()).isEqualTo(ColumnType.string());
    assertThat(map.valueType()).isEqualTo(ColumnType.time(0));
    assertThat(ColumnType.row(List.of(Column.of("f", "INT"))).fields())
        .containsExactly(Column.of("f", "INT"));
    assertThatIllegalStateException()
        .isThrownBy(() -> ColumnType.string().scale())
        .withMessage("VARCHAR has no such parameter");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnType.of(ColumnType.Kind.ARRAY))
        .withMessage("ARRAY has parameters");
  }
}
