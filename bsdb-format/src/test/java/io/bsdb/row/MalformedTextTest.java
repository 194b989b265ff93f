package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

  @Test
  void keepsGivenBytesAsTheyAre() {
    byte[] bytes = {(byte) 0xED, (byte) 0xA0, (byte) 0x80, (byte) 0xFF};
    assertThat(KeyWriter.of(SCHEMA).writeUtf8(bytes, 0, bytes.length).toBytes()).isEqualTo(bytes);
    RowWriter row = new RowWriter(RowLayout.ofValues(SCHEMA));
    row.setUtf8(0, bytes, 0, bytes.length);
    assertThat(Arrays.copyOfRange(row.toBytes(), row.toBytes().length - 4, row.toBytes().length))
        .isEqualTo(bytes);
  }
}
