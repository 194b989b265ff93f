package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class GzipMembersTest {
  private static final int HEADER = 10;

  @Test
  void readsMembersOfAllLengthsWhateverTheBuffersHold() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    for (int i = 0; i < 200; i++) {
      byte[] text = new byte[random.nextInt(10) == 0 ? 0 : random.nextInt(2000)];
      random.nextBytes(text);
      plain.writeBytes(text);
      stored.writeBytes(member(text));
    }
    for (int buffer : new int[] {1, 7, 512, 1 << 20}) {
      assertThat(read(stored.toByteArray(), buffer))
          .as("seed %d buffer %d", seed, buffer)
          .isEqualTo(plain.toByteArray());
    }
  }

  @Test
  void passesOverAllThatAHeaderMayHold() throws IOException {
    byte[] member = member(bytes("a"));
    byte[] header = Arrays.copyOf(member, HEADER);
    header[3] = 2 | 4 | 8 | 16;
    byte[] more = concat(header, new byte[] {3, 0, 1, 0, 2}, bytes("name\0comment\0"));
    CRC32 checksum = new CRC32();
    checksum.update(more);
    byte[] sum = {(byte) checksum.getValue(), (byte) (checksum.getValue() >>> 8)};
    byte[] body = Arrays.copyOfRange(member, HEADER, member.length);

    assertThat(read(concat(more, sum, body, member))).isEqualTo(bytes("aa"));
    sum[0] ^= 1;
    assertThatThrownBy(() -> read(concat(member, more, sum, body)))
        .isInstanceOf(ZipException.class)
        .hasMessageStartingWith("gzip member 2 is damaged: header checksum expected=");
  }

  @Test
  void takesZerosAtTheEndForPadding() throws IOException {
    byte[] member = member(bytes("a"));
    assertThat(read(concat(member, member, new byte[1024]))).isEqualTo(bytes("aa"));
    assertThatThrownBy(() -> read(concat(member, new byte[3], member)))
        .isInstanceOf(ZipException.class)
        .hasMessage("gzip member 1 ends in zeros, which only the end of the file may follow");
  }

  @Test
  void refusesAMemberThatIsCutOffAnywhere() throws IOException {
    byte[] member = member(bytes("a text"));
    for (int length = 1; length < member.length; length++) {
      byte[] part = Arrays.copyOf(member, length);
      assertThatThrownBy(() -> read(part)).isInstanceOf(EOFException.class);
      assertThatThrownBy(() -> read(concat(member, part))).isInstanceOf(EOFException.class);
    }
    assertThatThrownBy(() -> read(new byte[0])).hasMessage("gzip member 1 is cut off");
  }

  @Test
  void refusesDamage() throws IOException {
    byte[] member = member(bytes("a text"));
    refuses(member, 0, "gzip member 2 is damaged: magic expected=8b1f actual=8bfe");
    refuses(member, 1, "gzip member 2 is damaged: magic expected=8b1f actual=6a1f");
    refuses(member, 2, "gzip member 2 is damaged: compression expected=8 actual=e9");
    refuses(member, 3, "gzip member 2 is damaged: reserved flags expected=0 actual=e0");
    refuses(member, member.length - 8, "gzip member 2 is damaged: checksum expected=");
    refuses(member, member.length - 4, "gzip member 2 is damaged: length expected=6 actual=e7");
  }

  private static void refuses(byte[] member, int at, String message) {
    byte[] damaged = member.clone();
    damaged[at] ^= (byte) 0xE1;
    assertThatThrownBy(() -> read(concat(member, damaged)))
        .isInstanceOf(ZipException.class)
        .hasMessageStartingWith(message);
  }

  private static byte[] read(byte[] stored) throws IOException {
    return read(stored, 512);
  }

  private static byte[] read(byte[] stored, int buffer) throws IOException {
    try (InputStream in = new GzipMembers(new ByteArrayInputStream(stored), buffer)) {
      return in.readAllBytes();
    }
  }

  private static byte[] member(byte[] text) throws IOException {
    ByteArrayOutputStream member = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(member)) {
      out.write(text);
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

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
