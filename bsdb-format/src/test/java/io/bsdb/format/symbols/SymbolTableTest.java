package io.bsdb.format.symbols;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SymbolTableTest {
  private static final List<String> CITIES =
      List.of(
          "Europe/Zurich", "Europe/Berlin", "Asia/Tokyo", "America/New_York", "Zürich", "Ürümqi");

  private static SymbolTable table(String... symbols) {
    long[] words = new long[symbols.length];
    int[] lengths = new int[symbols.length];
    for (int i = 0; i < symbols.length; i++) {
      byte[] bytes = symbols[i].getBytes(StandardCharsets.UTF_8);
      words[i] = SymbolMatcher.word(bytes, 0);
      lengths[i] = bytes.length;
    }
    return new SymbolTable(words, lengths);
  }

  private static SymbolTable trained(List<byte[]> strings) {
    int length = strings.stream().mapToInt(string -> string.length).sum();
    ByteBuffer sample = ByteBuffer.allocate(length);
    int[] ends = new int[strings.size()];
    for (int i = 0; i < ends.length; i++) {
      sample.put(strings.get(i));
      ends[i] = sample.position();
    }
    return new SymbolTraining().train(sample.array(), ends);
  }

  private static byte[] encode(SymbolTable table, byte[] string) {
    byte[] target = new byte[2 * string.length + 2];
    int end = new SymbolMatcher(table).encode(string, 0, string.length, target, 0);
    return Arrays.copyOf(target, end);
  }

  private static byte[] decode(SymbolTable table, byte[] encoded, int length)
      throws CorruptSnapshotException {
    byte[] target = new byte[length + 8];
    int end = table.decode(encoded, 0, encoded.length, target, 0);
    return Arrays.copyOf(target, end);
  }

  private static List<byte[]> texts(Random random, int count) {
    List<byte[]> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String text = CITIES.get(random.nextInt(CITIES.size())) + " " + random.nextInt(1000);
      texts.add(text.getBytes(StandardCharsets.UTF_8));
    }
    return texts;
  }

  private static List<byte[]> binary(Random random, int count) {
    List<byte[]> strings = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] string = new byte[random.nextInt(600)];
      random.nextBytes(string);
      strings.add(string);
    }
    return strings;
  }

  @Test
  void decodesWhatItEncodes() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<byte[]> texts = texts(random, 500);
    List<byte[]> binary = binary(random, 300);
    List<byte[]> mixed = new ArrayList<>(texts);
    mixed.addAll(binary);
    for (List<byte[]> sample : List.of(texts, binary, mixed, List.<byte[]>of())) {
      SymbolTable table = trained(sample);
      assertThat(table.count()).isLessThanOrEqualTo(SymbolTable.MAX_SYMBOLS);
      for (byte[] string : mixed) {
        byte[] encoded = encode(table, string);
        assertThat(encoded.length).as("seed %d", seed).isLessThanOrEqualTo(string.length + 2);
        assertThat(decode(table, encoded, string.length)).as("seed %d", seed).isEqualTo(string);
      }
    }
  }

  @Test
  void textTakesAThird() {
    List<byte[]> texts = texts(new Random(1), 2000);
    SymbolTable table = trained(texts.subList(0, 1000));
    long plain = 0;
    long encoded = 0;
    for (byte[] text : texts.subList(1000, 2000)) {
      plain += text.length;
      encoded += encode(table, text).length;
    }
    assertThat(encoded).isLessThan(plain / 3);
  }

  @Test
  void trainingDependsOnTheSampleAlone() {
    List<byte[]> texts = texts(new Random(2), 1000);
    assertThat(trained(texts)).isEqualTo(trained(texts)).hasSameHashCodeAs(trained(texts));
  }

  @Test
  void longSymbolsComeFirst() {
    SymbolTable table = table("a", "abc", "ab", "abcdefgh");
    assertThat(encode(table, "abcdefghabcab".getBytes(StandardCharsets.UTF_8)))
        .containsExactly(3, 1, 2);
  }

  @Test
  void bytesWithoutSymbolsAreKept() {
    SymbolTable table = table("ab");
    assertThat(encode(table, "abxab".getBytes(StandardCharsets.UTF_8)))
        .containsExactly(0, 255, 'x', 0);
    assertThat(encode(table, "abxyzab".getBytes(StandardCharsets.UTF_8)))
        .containsExactly(0, 254, 3, 'x', 'y', 'z', 0);
    assertThat(encode(table, "xyz".getBytes(StandardCharsets.UTF_8)))
        .containsExactly(254, 0, 'x', 'y', 'z');
    assertThat(encode(table, new byte[0])).isEmpty();
  }

  /** A symbol of zeros must not match past the end of a string. */
  @Test
  void symbolsOfZerosEndWithTheString() throws Exception {
    SymbolTable table = table("\0\0\0\0", "\0");
    byte[] zeros = new byte[7];
    byte[] encoded = encode(table, zeros);
    assertThat(encoded).containsExactly(0, 1, 1, 1);
    assertThat(decode(table, encoded, 7)).isEqualTo(zeros);
  }

  @Test
  void sectionsHoldTables() throws Exception {
    SymbolTable table = trained(texts(new Random(3), 500)).withPercent(37);
    ByteBuffer bytes = ByteBuffer.allocate(table.encodedLength());
    table.encode(bytes);
    assertThat(bytes.hasRemaining()).isFalse();
    assertThat(SymbolTable.decode(bytes.flip())).isEqualTo(table);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 9, 255})
  void symbolsOfOtherLengthsAreDamage(int length) {
    byte[] bytes = new byte[20];
    bytes[1] = 1;
    bytes[2] = (byte) length;
    assertThatThrownBy(() -> SymbolTable.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage("length of symbol 0: expected=1..8 actual=" + (byte) length);
  }

  @Test
  void tooManySymbolsAreDamage() {
    assertThatThrownBy(() -> SymbolTable.decode(ByteBuffer.wrap(new byte[] {50, (byte) 255})))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage("symbols in a table: expected<=254 actual=255");
  }

  @Test
  void codesWithoutSymbolsAndEscapesThatAreCutOffAreDamage() {
    SymbolTable table = table("ab");
    byte[][] damaged = {
      {1}, {0, (byte) 253}, {(byte) 255}, {(byte) 254}, {(byte) 254, 2, 'x'}, {0, (byte) 255}
    };
    for (byte[] encoded : damaged) {
      assertThatThrownBy(() -> decode(table, encoded, 100))
          .as(Arrays.toString(encoded))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageMatching("(code without a symbol|string ends within an escape): expected.*");
    }
  }

  @Test
  void encodedStringsAreComparedWithPlainOnes() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<byte[]> strings = new ArrayList<>(texts(random, 300));
    strings.addAll(binary(random, 100));
    strings.add(new byte[0]);
    SymbolTable table = trained(strings);
    for (byte[] string : strings) {
      byte[] encoded = encode(table, string);
      assertThat(table.matches(encoded, 0, encoded.length, string)).as("seed %d", seed).isTrue();
      byte[] other = strings.get(random.nextInt(strings.size()));
      assertThat(table.matches(encoded, 0, encoded.length, other))
          .as("seed %d", seed)
          .isEqualTo(Arrays.equals(string, other));
      if (string.length > 0) {
        byte[] changed = string.clone();
        changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
        byte[] shorter = Arrays.copyOf(string, random.nextInt(string.length));
        byte[] longer = Arrays.copyOf(string, string.length + 1 + random.nextInt(9));
        for (byte[] wrong : List.of(changed, shorter, longer)) {
          assertThat(table.matches(encoded, 0, encoded.length, wrong))
              .as("seed %d", seed)
              .isFalse();
        }
      }
    }
  }

  @Test
  void comparingFindsDamage() {
    byte[] plain = {'a', 'b', 'x', 'x', 'x'};
    for (byte[] damaged : new byte[][] {{1}, {0, (byte) 255}, {0, (byte) 254, 9, 'x'}}) {
      assertThatThrownBy(() -> table("ab").matches(damaged, 0, damaged.length, plain))
          .as(Arrays.toString(damaged))
          .isInstanceOf(CorruptSnapshotException.class);
    }
  }

  @Test
  void nothingIsWrittenBehindTheTarget() {
    SymbolTable table = table("abcdefgh");
    assertThatThrownBy(() -> decode(table, new byte[100], 98 * 8))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
