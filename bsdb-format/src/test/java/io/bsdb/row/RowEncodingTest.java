package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.text.RowJsonWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowEncodingTest {
  private static final HexFormat HEX = HexFormat.of();

  private static final Schema CITIES =
      Schema.builder()
          .column("geoname_id", "BIGINT")
          .column("name", "STRING")
          .column("country", "CHAR(2)")
          .column("admin1", "STRING")
          .column("timezone", "STRING")
          .column("population", "BIGINT")
          .column("latitude", "DOUBLE")
          .column("longitude", "DOUBLE")
          .primaryKey("geoname_id")
          .build();

  // The worked example of docs/FORMAT.md.
  private static final String BERN_KEY = "0000000000289cb0";
  private static final String BERN_VALUE =
      "00"
          + "1fdb010000000000"
          + "13d55b035b794740"
          + "60b01bb62dca1d40"
          + "04060815"
          + "4265726e"
          + "4348"
          + "4245"
          + "4575726f70652f5a7572696368";
  // The same without admin1: a null bitmap, and an empty place in the variable area.
  private static final String BERN_VALUE_WITH_NULL =
      "04"
          + "04"
          + BERN_VALUE.substring(2, 50)
          + "04060613"
          + "4265726e"
          + "4348"
          + "4575726f70652f5a7572696368";

  private static final RowCodec CODEC = RowCodec.of(CITIES);

  @Test
  void goldenRow() {
    assertThat(HEX.formatHex(CODEC.encodeKey(2_661_552L))).isEqualTo(BERN_KEY);
    byte[] value =
        CODEC.encodeValue("Bern", "CH", "BE", "Europe/Zurich", 121_631L, 46.94809, 7.44744);
    assertThat(HEX.formatHex(value)).isEqualTo(BERN_VALUE);
    int dataBytes = 8 + 8 + 8 + 4 + 2 + 2 + 13;
    assertThat(value.length - dataBytes).as("overhead").isEqualTo(5);
    assertThat(
            HEX.formatHex(
                CODEC.encodeValue("Bern", "CH", null, "Europe/Zurich", 121_631, 46.94809, 7.44744)))
        .isEqualTo(BERN_VALUE_WITH_NULL);
  }

  @Test
  void goldenRowReadsBack() {
    Row row = CODEC.decode(HEX.parseHex(BERN_KEY), HEX.parseHex(BERN_VALUE));
    assertThat(row.longValue("geoname_id")).isEqualTo(2_661_552);
    assertThat(row.string("name")).isEqualTo("Bern");
    assertThat(row.doubleValue("latitude")).isEqualTo(46.94809);
    assertThat(
            RowJsonWriter.of(CODEC.schema()).row(HEX.parseHex(BERN_KEY), HEX.parseHex(BERN_VALUE)))
        .isEqualTo(
            "{\"geoname_id\": 2661552, \"name\": \"Bern\", \"country\": \"CH\", \"admin1\": \"BE\", "
                + "\"timezone\": \"Europe/Zurich\", \"population\": 121631, \"latitude\": 46.94809, "
                + "\"longitude\": 7.44744}");
    Row withNull = CODEC.decode(HEX.parseHex(BERN_KEY), HEX.parseHex(BERN_VALUE_WITH_NULL));
    assertThat(withNull.isNull("admin1")).isTrue();
    assertThat(withNull.string("admin1")).isNull();
    assertThat(withNull.string("timezone")).isEqualTo("Europe/Zurich");
    assertThat(withNull).isNotEqualTo(row);
  }

  @Test
  void goldenNestedRow() {
    assertThat(encoded("ARRAY<INT NOT NULL>", List.of(1, 2)))
        .isEqualTo("00" + "0a" + "00020100000002000000");
    assertThat(encoded("ARRAY<STRING>", Arrays.asList("a", null, "bc")))
        .isEqualTo("00" + "09" + "04" + "03" + "02" + "010103" + "616263");
    assertThat(encoded("ARRAY<INT>", List.of())).isEqualTo("00" + "02" + "0000");
    assertThat(encoded("MAP<STRING, TINYINT>", Map.of("k", 5)))
        .isEqualTo("00" + "0a" + "00" + "0407" + "0001" + "01" + "6b" + "0001" + "05");
    assertThat(encoded("ROW<`a` SMALLINT, `b` STRING>", List.of(258, "x")))
        .isEqualTo("00" + "05" + "00" + "0201" + "01" + "78");
    assertThat(encoded("TIMESTAMP(6)", LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1_000_002)))
        .isEqualTo("04" + "00" + "0100000000000000" + "02000000");
    assertThat(encoded("DECIMAL(10, 2)", new BigDecimal("-1.28")))
        .isEqualTo("04" + "00" + "80ffffffffffffff");
    assertThat(encoded("DECIMAL(20, 2)", new BigDecimal("-1.28"))).isEqualTo("00" + "01" + "80");
    assertThat(encoded("INT NOT NULL", 1)).isEqualTo("00" + "01000000");
    assertThat(encoded("STRING", "x".repeat(256)))
        .startsWith("01" + "0001" + "7878")
        .hasSize(2 * 259);
    assertThat(encoded("STRING", "x".repeat(65_536))).startsWith("02" + "00000100" + "7878");
  }

  private static String encoded(String type, Object value) {
    Schema schema = Schema.builder().column("k", "INT").column("v", type).primaryKey("k").build();
    return HEX.formatHex(RowCodec.of(schema).encodeValue(new Object[] {value}));
  }

  @Test
  void rowsWithoutVariableColumnsAreAllOfOneSize() {
    var schema =
        Schema.builder()
            .column("k", "INT")
            .column("a", "INT")
            .column("b", "INT")
            .primaryKey("k")
            .build();
    RowCodec codec = RowCodec.of(schema);
    assertThat(codec.encodeValue(1, 2)).hasSameSizeAs(codec.encodeValue(1, null));
    var onlyKey = RowCodec.of(Schema.builder().column("k", "INT").primaryKey("k").build());
    assertThat(onlyKey.encodeValue()).isEmpty();
  }

  /** Readers of a history find ended rows before they decode; to others they are damage. */
  @Test
  void endedRowsAreNotDecoded() {
    byte[] ended = RowWriter.ended();
    assertThat(ended).containsExactly(8);
    assertThat(RowLayout.isEnded(ended)).isTrue();
    assertThat(RowLayout.isEnded(new byte[] {8, 0})).isFalse();
    assertThat(RowLayout.isEnded(new byte[0])).isFalse();
    assertThat(RowLayout.isEnded(new byte[] {1, 8}, 1, 1)).isTrue();
    Schema onlyKey = Schema.builder().column("k", "INT").primaryKey("k").build();
    for (Schema schema : List.of(CITIES, onlyKey)) {
      assertThatThrownBy(() -> new RowView(RowLayout.ofValues(schema)).wrap(ended))
          .isInstanceOf(UncheckedIOException.class);
    }
  }

  @Test
  void orderOfCallsDoesNotMatter() {
    var layout =
        RowLayout.of(
            List.of(Column.of("a", "STRING"), Column.of("b", "STRING"), Column.of("c", "INT")));
    var writer = new RowWriter(layout);
    writer.setString(0, "x");
    writer.setString(1, "yy");
    writer.setInt(2, 5);
    byte[] inOrder = writer.toBytes();
    writer.reset();
    writer.setString(1, "wrong");
    writer.setInt(2, 6);
    writer.setNull(2);
    writer.setInt(2, 5);
    writer.setString(1, "yy");
    writer.setNull(0);
    writer.setString(0, "x");
    assertThat(writer.toBytes()).isEqualTo(inOrder).isEqualTo(writer.toBytes());
    assertThat(writer.writeTo(new byte[inOrder.length - 1], 0)).isEqualTo(-1 - inOrder.length);
    byte[] target = new byte[inOrder.length + 3];
    assertThat(writer.writeTo(target, 3)).isEqualTo(inOrder.length);
    assertThat(target).endsWith(inOrder);
  }

  @Test
  void viewsReadInPlace() {
    byte[] around = new byte[200];
    byte[] value = HEX.parseHex(BERN_VALUE);
    System.arraycopy(value, 0, around, 50, value.length);
    RowView view = new RowView(RowLayout.ofValues(CITIES)).wrap(around, 50, value.length);
    long slice = view.sliceAt(3);
    String zone =
        new String(
            view.bytes(), FieldView.offset(slice), FieldView.length(slice), StandardCharsets.UTF_8);
    assertThat(zone).isEqualTo("Europe/Zurich").isEqualTo(view.stringAt(3));
    assertThat(view.bytes()).isSameAs(around);
    assertThat(view.longAt(4)).isEqualTo(121_631);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> view.intAt(4))
        .withMessage("column 'population' is BIGINT, not stored as INT");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> view.sliceAt(4))
        .withMessage("column 'population' is BIGINT, not stored as bytes");
    assertThatThrownBy(() -> view.longAt(7)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.isNull(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.wrap(around, 190, 20))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void nestedWritersReadBackThroughViews() {
    var layout =
        RowLayout.of(
            List.of(
                Column.of("rows", "ARRAY<ROW<`a` INT, `s` STRING>>"),
                Column.of("map", "MAP<STRING, BIGINT>"),
                Column.of("last", "STRING")));
    var writer = new RowWriter(layout);
    for (int size : new int[] {3, 0, 100, 2}) {
      writer.reset().setString(2, "end");
      ArrayWriter rows = writer.array(0, size);
      for (int i = 0; i < size; i += 2) {
        RowWriter row = rows.row(i);
        row.setInt(0, i);
        row.setString(1, "s" + i);
        row.end();
      }
      rows.end();
      MapWriter map = writer.map(1, 1);
      map.values().setLong(0, size);
      map.keys().setString(0, "k");
      map.end();

      RowView view = new RowView(layout).wrap(writer.toBytes());
      ArrayView elements = view.arrayAt(0);
      assertThat(elements.size()).isEqualTo(size);
      for (int i = 0; i < size; i++) {
        assertThat(elements.isNull(i)).isEqualTo(i % 2 == 1);
        if (i % 2 == 0) {
          assertThat(elements.rowAt(i).intAt(0)).isEqualTo(i);
          assertThat(elements.rowAt(i).stringAt(1)).isEqualTo("s" + i);
        }
      }
      assertThat(view.mapAt(1).keys().stringAt(0)).isEqualTo("k");
      assertThat(view.mapAt(1).values().longAt(0)).isEqualTo(size);
      assertThat(view.stringAt(2)).isEqualTo("end");
    }
  }

  @Test
  void rejectsWrongCalls() {
    var layout =
        RowLayout.of(
            List.of(
                Column.of("a", "ARRAY<INT NOT NULL>"),
                Column.of("b", "INT NOT NULL"),
                Column.of("c", "DECIMAL(2, 0)")));
    var writer = new RowWriter(layout);
    assertThatIllegalArgumentException()
        .isThrownBy(writer::toBytes)
        .withMessage("column `b` INT NOT NULL has no value");
    writer.setInt(1, 1);
    ArrayWriter array = writer.array(0, 1);
    assertThatIllegalStateException()
        .isThrownBy(writer::toBytes)
        .withMessage("the writer of `a` ARRAY<INT NOT NULL> has not ended");
    assertThatIllegalArgumentException()
        .isThrownBy(array::end)
        .withMessage("array of INT NOT NULL has an element without value");
    array.setInt(0, 1);
    assertThatThrownBy(() -> array.setInt(1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    array.end();
    assertThatIllegalStateException()
        .isThrownBy(array::end)
        .withMessage("the writer has already ended");
    assertThatIllegalStateException()
        .isThrownBy(writer::end)
        .withMessage("this writer is not nested");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> writer.setLong(1, 1))
        .withMessage("column 'b' is INT NOT NULL, not stored as LONG");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> writer.setUnscaled(2, 100))
        .withMessage("column 'c': unscaled 100 does not fit DECIMAL(2, 0)");
    for (String number : List.of("100", "0.1", "1E+1000000000", "1E-1000000000", "12.01")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.setDecimal(2, new BigDecimal(number)))
          .withMessage("column 'c': " + number + " does not fit DECIMAL(2, 0)");
    }
    for (String number : List.of("0E+1000000000", "9.9E+1", "12.0000", "-99")) {
      writer.setDecimal(2, new BigDecimal(number));
    }
    assertThat(new RowView(layout).wrap(writer.toBytes()).decimalAt(2)).isEqualTo("-99");
  }

  @Test
  @SuppressWarnings("NullAway") // as programs that are not checked do
  void codecOfATableWithoutASchemaSaysSo() {
    assertThatNullPointerException()
        .isThrownBy(() -> RowCodec.of(null))
        .withMessage("there is no schema: keys and values are plain bytes");
  }

  @Test
  void codecNamesTheColumnInItsComplaints() {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("geoname_id", 1);
    row.put("name", "x");
    assertThat(CODEC.decode(CODEC.encodeKey(row), CODEC.encodeValue(row)).isNull("population"))
        .isTrue();
    row.put("populaton", 1L);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeValue(row))
        .withMessageStartingWith("no column 'populaton'; the columns are geoname_id, name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeValue("x"))
        .withMessage("1 values for 7 columns");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeValue(Map.of("name", 7)))
        .withMessage("column 'name' is STRING: expected String, got java.lang.Integer");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> encoded("TIMESTAMP(3)", LocalDateTime.of(2026, 1, 1, 0, 0, 0, 1)))
        .withMessage(
            "column 'v': 2026-01-01T00:00:00.000000001 (stored in milliseconds) does not fit TIMESTAMP(3)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> encoded("TIMESTAMP(9)", LocalDateTime.MAX))
        .withMessageContaining("does not fit TIMESTAMP(9)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> encoded("ROW<`a` INT>", Map.of("b", 1)))
        .withMessage("no column [b] among [a]");
    Row found = CODEC.decode(HEX.parseHex(BERN_KEY), HEX.parseHex(BERN_VALUE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> found.intValue("population"))
        .withMessage("column 'population' is BIGINT, not read as an int");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> found.string("population"))
        .withMessage("column 'population' is BIGINT, not read as String");
    Row empty = CODEC.decode(HEX.parseHex(BERN_KEY), CODEC.encodeValue(Map.of()));
    assertThatIllegalStateException()
        .isThrownBy(() -> empty.longValue("population"))
        .withMessage("column 'population' is null");
  }
}
