package io.bsdb.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a gzip file all members count, and whatever is none is damage. */
class InputFileTest {
  private static final byte[] MEMBER = member("a text");

  /** Of a header: time, flags of the compression and operating system, which nobody checks. */
  private static final List<Integer> UNCHECKED = List.of(4, 5, 6, 7, 8, 9);

  @TempDir private Path directory;

  @Test
  void namesCompressionsThatItDoesNotRead() throws IOException {
    for (String name : List.of("rows.csv.bz2", "rows.XZ", "rows.lz4", "rows.zip")) {
      Path file = Files.writeString(directory.resolve(name), "BZh9");
      String end = name.substring(name.lastIndexOf('.')).toLowerCase(Locale.ROOT);
      assertThatThrownBy(() -> InputFile.of(file, null).open(new AtomicLong()))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(
              "cannot read " + file + ": " + end + " files are not decompressed")
          .hasMessageContaining(" " + file + "' with --input -");
    }
  }

  @Test
  void anInterruptIsNoDamage() throws IOException {
    Path file = Files.writeString(directory.resolve("in.txt"), "k v");
    try (InputStream in = InputFile.of(file, null).open(new AtomicLong())) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(in::read).isInstanceOf(ClosedByInterruptException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void readsAllMembers() throws IOException {
    byte[] both = concat(MEMBER, member(""), member("!"));
    AtomicLong stored = new AtomicLong();
    assertThat(read(both, stored)).isEqualTo("a text!");
    assertThat(stored).hasValue(both.length);
  }

  @Test
  void refusesAMemberThatIsCutOffAnywhere() {
    for (int length = 1; length < MEMBER.length; length++) {
      assertDamaged(concat(MEMBER, Arrays.copyOf(MEMBER, length)), "length " + length);
    }
  }

  @Test
  void refusesAMemberThatIsDamagedAnywhere() {
    for (int at = 0; at < MEMBER.length; at++) {
      if (!UNCHECKED.contains(at)) {
        byte[] damaged = MEMBER.clone();
        damaged[at] ^= (byte) 0xE1;
        assertDamaged(concat(MEMBER, damaged), "byte " + at);
      }
    }
  }

  @Test
  void refusesWhatFollowsTheLastMember() {
    assertDamaged(concat(MEMBER, new byte[512]), "padding");
    assertDamaged(concat(MEMBER, "text".getBytes(StandardCharsets.US_ASCII)), "text");
  }

  private void assertDamaged(byte[] stored, String what) {
    assertThatThrownBy(() -> read(stored, new AtomicLong()))
        .as(what)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot read " + directory.resolve("in.gz") + ": ");
  }

  private String read(byte[] stored, AtomicLong count) throws IOException {
    Path file = Files.write(directory.resolve("in.gz"), stored);
    try (InputStream in = InputFile.of(file, null).open(count)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private static byte[] member(String text) {
    ByteArrayOutputStream member = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(member)) {
      out.write(text.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return member.toByteArray();
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
