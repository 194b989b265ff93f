package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MalformedTextTest {
  private static final Schema SCHEMA =
      Schema.builder()
          .column("id", "STRING")
          .column("name", "STRING")
          .column("tags", "ARRAY<STRING>")
          .column("notes", "MAP<STRING, STRING>")
          .primaryKey("id")
          .build();
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);

  @ParameterizedTest
  @ValueSource(strings = {"\ud800", "a\ud800", "\udc00", "\udc00\ud800", "\ud800\ud800\udc00"})
  void refusesKeysAndValues(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeKey(text))
        .withMessageMatching(
            "column 'id': malformed text: unpaired surrogate \\\\ud[8c]00 at index [01]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeValue(Map.of("name", text)))
        .withMessageStartingWith("column 'name': malformed text: unpaired surrogate \\ud");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeValue(Map.of("tags", List.of("a", text))))
        .withMessageContaining("malformed text");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeValue(Map.of("notes", Map.of(text, "a"))))
        .withMessageContaining("malformed text");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Column.of(text, "INT"))
        .withMessageStartingWith("column name: malformed text");
  }

  @Test
  void aKeyWriterTakesAMalformedKeyForOneThatNoTableHolds() {
    KeyWriter writer = KeyWriter.of(SCHEMA);
    assertThat(writer.writeString("\ud800").fits()).isFalse();
    assertThat(writer.reset().writeString("?").fits()).isTrue();
    assertThat(writer.toBytes()).isEqualTo(new byte[] {'?'});
  }

  @Test
  void keepsWellFormedText() {
    for (String text : List.of("?", "\ud83d\ude00", "a\ud83d\ude00\ud83d\ude00b", "\ufffd")) {
      assertThat(CODEC.encodeKey(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Against the JDK's decoder: all characters, and bytes of each kind at each place of a word. */
  @Test
  void findsWhatIsNotUtf8() {
    for (int point = 0; point <= Character.MAX_CODE_POINT; point += point < 0x3000 ? 1 : 7) {
      if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
        byte[] utf8 = ("1234567" + Character.toString(point)).getBytes(StandardCharsets.UTF_8);
        assertThat(MalformedText.problem(utf8, 0, utf8.length)).as("U+%x", point).isNull();
      }
    }
    int[] kinds = {'a', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0};
    int[] more = {0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
    int[] all = IntStream.concat(Arrays.stream(kinds), Arrays.stream(more)).toArray();
    for (int a : all) {
      for (int b : all) {
        for (int c : all) {
          for (int d : all) {
            byte[] bytes = {'x', (byte) a, (byte) b, (byte) c, (byte) d, 'x', 'x', 'x', 'x', 'x'};
            if ((MalformedText.problem(bytes, 1, 9) == null) != isUtf8(bytes)) {
              fail("%02x %02x %02x %02x", a, b, c, d);
            }
          }
        }
      }
    }
  }

  private static boolean isUtf8(byte[] bytes) {
    CharBuffer text = CharBuffer.allocate(bytes.length);
    return StandardCharsets.UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(bytes), text, true)
        .isUnderflow();
  }

  @Test
  void refusesMalformedBytes() {
    byte[] bytes = {'a', (byte) 0xED, (byte) 0xA0, (byte) 0x80};
    KeyWriter key = KeyWriter.of(SCHEMA).writeUtf8(bytes, 0, bytes.length);
    assertThat(key.fits()).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(key::toBytes)
        .withMessageEndingWith("malformed UTF-8: byte ed at index 1");
    RowWriter row = new RowWriter(RowLayout.ofValues(SCHEMA));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> row.setUtf8(0, bytes, 0, bytes.length))
        .withMessageEndingWith("malformed UTF-8: byte ed at index 1");
  }

  @Test
  void refusesNanosecondsThatAreNotStored() {
    Schema schema =
        Schema.builder()
            .column("k", "TIMESTAMP(3)")
            .column("v", "TIMESTAMP_LTZ(0)")
            .primaryKey("k")
            .build();
    KeyWriter key = KeyWriter.of(schema);
    assertThat(key.writeTimestamp(1, 1).fits()).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(key::toBytes)
        .withMessage("column 'k': 1 ns of a millisecond do not fit TIMESTAMP(3) NOT NULL");
    assertThat(key.reset().writeTimestamp(1, 0).fits()).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RowWriter(RowLayout.ofValues(schema)).setTimestamp(0, 1, 999_999))
        .withMessage("column 'v': 999999 ns of a millisecond do not fit TIMESTAMP_LTZ(0)");
  }

  @Test
  void refusesKeysOfTimesThatAreNotStored() {
    Schema schema =
        Schema.builder()
            .column("k", "TIME(9)")
            .column("at", "TIMESTAMP(3)")
            .primaryKey("k", "at")
            .build();
    RowCodec codec = RowCodec.of(schema);
    LocalTime time = LocalTime.of(8, 30);
    LocalDateTime at = LocalDateTime.of(2026, 1, 1, 8, 30);
    assertThat(codec.encodeKey(time, at)).hasSize(12);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeKey(time.plusNanos(1), at))
        .withMessage("column 'k': 1 ns of a millisecond do not fit TIME(9) NOT NULL");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec.encodeKey(time, at.plusNanos(1_999_999)))
        .withMessage("column 'at': 999999 ns of a millisecond do not fit TIMESTAMP(3) NOT NULL");
  }
}
