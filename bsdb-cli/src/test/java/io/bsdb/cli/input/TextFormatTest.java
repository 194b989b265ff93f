package io.bsdb.cli.input;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TextFormatTest {
  private static final Console SILENT =
      new Console(
          InputStream.nullInputStream(),
          OutputStream.nullOutputStream(),
          new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8),
          false);

  @Test
  void splitsAtTheFirstSeparator() throws IOException {
    assertThat(read("a b c\nd \n", " ")).containsExactly("1:a=b c", "2:d=");
  }

  @Test
  void needsNoLineEndAtTheEnd() throws IOException {
    assertThat(read("a b\nc d", " ")).containsExactly("1:a=b", "2:c=d");
  }

  @Test
  void splitsAtALongSeparator() throws IOException {
    assertThat(read("a:b::c\n", "::")).containsExactly("1:a:b=c");
  }

  @Test
  void dropsCarriageReturnsWhereTheFirstLineHasOne() throws IOException {
    assertThat(read("a b\r\nc d\r\ne f\n", " ")).containsExactly("1:a=b", "2:c=d", "3:e=f");
  }

  @Test
  void keepsCarriageReturnsWhereTheFirstLineHasNone() throws IOException {
    assertThat(read("a b\nc d\r\n", " ")).containsExactly("1:a=b", "2:c=d\r");
  }

  @Test
  void readsHexadecimal() throws IOException {
    assertThat(read(TextFormat.records(bytes("\t"), Encoding.HEX), bytes("61\t6263\n")))
        .containsExactly("1:a=bc");
  }

  @Test
  void namesTheLineOfAnEmptyKey() {
    assertThatThrownBy(() -> read("a b\n c\n", " "))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("in.txt:2: empty key in the line:  c");
  }

  @Test
  void namesTheLineWithoutSeparator() {
    assertThatThrownBy(() -> read("a\tb\n\nc\td\n", "\t"))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("in.txt:2: no separator '\t' in the line: ");
  }

  @Test
  void namesTheLineOfATooLongKey() throws IOException {
    String longest = "k".repeat(65_535);
    assertThat(read(longest + " v\n", " ")).containsExactly("1:" + longest + "=v");
    assertThatThrownBy(() -> read("a b\nk" + longest + " v\n", " "))
        .hasMessage("in.txt:2: the key is too long: 65,536 bytes, at most 65,535");
  }

  @Test
  void namesTheLineThatIsNotHexadecimal() {
    TextFormat format = TextFormat.records(bytes(" "), Encoding.HEX);
    assertThatThrownBy(() -> read(format, bytes("61 6\n")))
        .hasMessageStartingWith("in.txt:1: not hex: ");
  }

  @Test
  void readsWhatWasWrittenWhateverTheBuffersHold() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<String> expected = new ArrayList<>();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int i = 1; i <= 3000; i++) {
      String key = word(random, 1 + random.nextInt(20));
      int length = random.nextInt(50) == 0 ? random.nextInt(600_000) : random.nextInt(200);
      String value = word(random, length);
      text.writeBytes((key + " " + value + "\n").getBytes(StandardCharsets.ISO_8859_1));
      expected.add(i + ":" + key + "=" + value);
    }
    assertThat(read(TextFormat.records(bytes(" "), Encoding.UTF8), text.toByteArray()))
        .as("seed %d", seed)
        .isEqualTo(expected);
  }

  /** Bytes of all values but space, line feed and carriage return. */
  private static String word(Random random, int length) {
    StringBuilder word = new StringBuilder(length);
    while (word.length() < length) {
      char c = (char) random.nextInt(256);
      if (c != ' ' && c != '\n' && c != '\r') {
        word.append(c);
      }
    }
    return word.toString();
  }

  private static List<String> read(String text, String separator) throws IOException {
    return read(TextFormat.records(bytes(separator), Encoding.UTF8), bytes(text));
  }

  private static List<String> read(TextFormat format, byte[] text) throws IOException {
    List<String> records = new ArrayList<>();
    format.read(
        InputFile.of("in.txt", new ByteArrayInputStream(text), null),
        new AtomicLong(),
        (key, keyOffset, keyLength, value, valueOffset, valueLength, line) ->
            records.add(
                line
                    + ":"
                    + new String(key, keyOffset, keyLength, StandardCharsets.ISO_8859_1)
                    + "="
                    + new String(value, valueOffset, valueLength, StandardCharsets.ISO_8859_1)),
        new BadLines(BadLines.Policy.FAIL, SILENT));
    return records;
  }
}
