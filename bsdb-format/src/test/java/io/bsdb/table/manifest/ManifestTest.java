package io.bsdb.table.manifest;

import static io.bsdb.table.manifest.EditedManifests.FILE;
import static io.bsdb.table.manifest.EditedManifests.MANIFEST;
import static io.bsdb.table.manifest.EditedManifests.assertRefusedWith;
import static io.bsdb.table.manifest.EditedManifests.checksummed;
import static io.bsdb.table.manifest.EditedManifests.edited;
import static io.bsdb.table.manifest.EditedManifests.withRightChecksum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.UnsupportedVersionException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {
  @Test
  void givesBackWhatWasEncoded() throws Exception {
    Manifest decoded = Manifest.decode(MANIFEST.encode(), FILE);
    assertThat(decoded).isEqualTo(MANIFEST);
    assertThat(decoded.recordCount()).isEqualTo(12);
    assertThat(decoded.length()).isEqualTo((5L << 40) + 9000);
    assertThat(decoded.partitions()).extracting(PartitionFile::partition).containsExactly(0, 1);
  }

  @Test
  void isNotYoungerThanNew() {
    Instant published = MANIFEST.createdAt();
    assertThat(MANIFEST.age(published.plusSeconds(90))).isEqualTo(Duration.ofSeconds(90));
    assertThat(MANIFEST.age(published.minusSeconds(90))).isEqualTo(Duration.ZERO);
  }

  @Test
  void refusesEveryChangedByte() {
    byte[] sound = MANIFEST.encode();
    for (int position = 0; position < sound.length; position++) {
      for (int change : new int[] {1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xFF}) {
        byte[] damaged = sound.clone();
        damaged[position] ^= (byte) change;
        assertRefused(damaged, "byte " + position + " changed by " + change);
      }
      byte[] damaged = sound.clone();
      damaged[position] = 0;
      assertRefused(damaged, "byte " + position + " zeroed");
    }
  }

  @Test
  void refusesEveryTruncation() {
    byte[] sound = MANIFEST.encode();
    for (int length = 0; length < sound.length; length++) {
      assertRefused(Arrays.copyOf(sound, length), "length " + length);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", "\n", "{}", "\u0000", "x", "\"checksum\" : \"00000000\"\n}\n"})
  void refusesBytesBehindItsEnd(String more) {
    byte[] sound = MANIFEST.encode();
    byte[] extra = more.getBytes(StandardCharsets.UTF_8);
    byte[] longer = Arrays.copyOf(sound, sound.length + extra.length);
    System.arraycopy(extra, 0, longer, sound.length, extra.length);
    assertRefused(longer, more);
  }

  private static void assertRefused(byte[] bytes, String what) {
    assertThatThrownBy(() -> Manifest.decode(bytes, FILE))
        .as(what)
        .isInstanceOfAny(CorruptSnapshotException.class, UnsupportedVersionException.class)
        .hasMessageContaining("file=" + FILE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../part",
        "/etc/passwd",
        "a/b",
        "..",
        ".",
        "",
        ".hidden",
        "a\\\\b",
        "C:\\\\x",
        "a b",
        "part\\u0000",
        "part\\n",
        "pärt"
      })
  void refusesFileNamesThatLeaveTheDirectory(String name) {
    assertRefusedWith(edited("part-00000.bsdb", name), "manifest names an impossible file");
  }

  @Test
  void refusesOneFileForTwoPartitions() {
    assertRefusedWith(
        edited("part-00001.bsdb", "part-00000.bsdb"),
        "manifest names an impossible file: file=" + FILE + " name='part-00000.bsdb'");
  }

  @Test
  void refusesOneIdForTwoFiles() {
    String id = "00000000-0000-0000-0000-00000000002f";
    assertRefusedWith(
        edited("00000000-0000-0001-0000-000000000001", id),
        "manifest gives two files one id: file=%s name='part-00001.bsdb' fileId=%s"
            .formatted(FILE, id));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0-0-0-0-2f", "00000000-0000-0000-0000-00000000002g"})
  void refusesIdsThatAreNoUuid(String id) {
    assertRefusedWith(
        edited("00000000-0000-0000-0000-00000000002f", id), "manifest cannot be read");
  }

  @Test
  void refusesFiguresOutOfRange() {
    assertRefusedWith(edited("\"length\" : 9000", "\"length\" : -1"), "length out of range: -1");
    assertRefusedWith(edited("\"length\" : 9000", "\"length\" : \"x\""), "length out of range");
    assertRefusedWith(edited("\"length\" : 9000", "\"length\" : 1e99"), "length out of range");
    assertRefusedWith(edited("\"length\" : 9000", "\"size\" : 9000"), "'length' is missing");
    assertRefusedWith(edited("\"keyBytes\" : 20", "\"keyBytes\" : -20"), "keyBytes out of range");
    assertRefusedWith(edited("\"valueBytes\" : 100", "\"valueBytes\" : -20"), "valueBytes out of");
    assertRefusedWith(
        edited("\"recordCount\" : 5", "\"recordCount\" : 2147483648"), "recordCount out of range");
    assertRefusedWith(edited("\"recordCount\" : 12", "\"recordCount\" : 13"), "contradicts itself");
    assertRefusedWith(edited("\"recordCount\" : 12", "\"recordCount\" : 12.5"), "out of range");
    assertRefusedWith(edited("\"recordCount\" : 12", "\"recordCount\" : \"12\""), "out of range");
    assertRefusedWith(
        edited("\"length\" : 9000", "\"length\" : 140737488355328"), "length out of range");
    assertRefusedWith(edited("\"formatVersion\" : 1", "\"formatVersion\" : 0"), "out of range");
    assertRefusedWith(edited("\"formatVersion\" : 1", "\"formatVersion\" : 1.5"), "out of range");
    assertRefusedWith(edited("\"formatVersion\" : 1", "\"formatVersion\" : \"1\""), "out of range");
    assertRefusedWith(edited("80000001", "x0000001"), "manifest cannot be read");
    assertRefusedWith(edited("80000001", "180000001"), "manifest cannot be read");
    assertRefusedWith(edited("80000001", "-1"), "manifest cannot be read");
  }

  @Test
  void refusesMembersOfAnotherKind() {
    assertRefusedWith(edited("0a1b2c3d-1111", "1111"), "manifest cannot be read");
    assertRefusedWith(edited("2026-01-02T", "2026-13-02T"), "manifest cannot be read");
    assertRefusedWith(edited("\"options\"", "\"opinions\""), "'options' is missing");
    assertRefusedWith(edited("\"schema\" : {", "\"schema\" : 7, \"x\" : {"), "manifest cannot");
    assertRefusedWith(edited("\"schema\" : {", "\"schema\" : [], \"x\" : {"), "manifest cannot");
    assertRefusedWith(edited("\"schema\" : {", "\"schema\" : {}, \"x\" : {"), "manifest cannot");
    assertRefusedWith(
        edited("\"partitions\" : [", "\"partitions\" : 7, \"x\" : ["), "partitions=0");
    assertRefusedWith(
        edited("\"partitions\" : [", "\"partitions\" : [7], \"x\" : ["), "'file' is missing");
    assertRefusedWith(edited("BIGINT NOT NULL", "BIGINT NO NULL"), "manifest cannot be read");
    assertRefusedWith(checksummed("{"), "'formatVersion' is missing");
    assertRefusedWith(checksummed("["), "manifest cannot be read");
  }

  @Test
  void refusesAnEncodingThatIsNoUtf8() {
    assertRefusedWith(new byte[] {0, 0, (byte) 0xFF, (byte) 0xFE, 0, 0}, "manifest does not end");
    byte[] latin = edited("ops", "op\u00e9s").clone();
    int place = new String(latin, StandardCharsets.ISO_8859_1).indexOf("\u00c3\u00a9");
    latin[place] = 'x';
    assertRefusedWith(withRightChecksum(latin), "not UTF-8");
  }

  @Test
  void refusesDeepNestingWithoutOverflowingTheStack() {
    assertRefusedWith(
        edited("\"schema\" : {", "\"deep\" : " + "[".repeat(100_000)), "manifest cannot be read");
  }

  /** 4294967297 is 1 in 32 bits. */
  @ParameterizedTest
  @ValueSource(strings = {"4294967297", "18446744073709551617"})
  void refusesFormatVersionsThatAnIntCannotHold(String version) {
    assertThatThrownBy(
            () ->
                Manifest.decode(
                    edited("\"formatVersion\" : 1", "\"formatVersion\" : " + version), FILE))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("format version " + version + ", this bsdb reads version 2");
  }

  @Test
  void refusesWhatIsSaidTwice() {
    assertRefusedWith(
        edited("\"formatVersion\" : 1", "\"formatVersion\" : 1, \"formatVersion\" : 2"),
        "Duplicate field 'formatVersion'");
    assertRefusedWith(edited("\"team\" : \"ops\"", "\"owner\" : \"ops\""), "Duplicate field");
    assertRefusedWith(
        edited("\"partitions\" : [", "\"x\" : 1} { \"partitions\" : ["), "manifest cannot be read");
  }

  @Test
  void readsTextsOfAnyLength() throws Exception {
    String value = "x".repeat(21_000_000);
    Manifest manifest = withProperties(Map.of("n".repeat(60_000), "y", "note", value));
    assertThat(Manifest.decode(manifest.encode(), FILE).properties())
        .isEqualTo(manifest.properties());
  }

  @Test
  void doesNotEncodeWhatIsLongerThanReadersTake() {
    Manifest manifest = withProperties(Map.of("note", "x".repeat(Manifest.MAX_LENGTH)));
    assertThatThrownBy(manifest::encode)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("manifest too long: expected<=67108864 bytes actual=6710")
        .hasMessageEndingWith("; its longest member is 'properties' with 67108875 characters");
  }

  @Test
  void refusesMoreTextsThanAllowed() {
    Map<String, String> many =
        IntStream.range(0, Manifest.MAX_TEXTS)
            .boxed()
            .collect(Collectors.toMap(i -> "p" + i, i -> ""));
    String first = "\"properties\" : {";
    assertRefusedWith(
        edited(withProperties(many), first, first + "\"one more\" : \"\", "),
        "'properties' has too many entries: expected<=65536 actual=65537");
    many.put("one more", "");
    assertThatThrownBy(() -> withProperties(many).encode())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'properties' of a manifest has too many entries: expected<=65536 actual=65537");
  }

  private static Manifest withProperties(Map<String, String> properties) {
    return new Manifest(
        MANIFEST.identity(),
        MANIFEST.schema(),
        MANIFEST.options(),
        MANIFEST.partitions(),
        properties,
        MANIFEST.sourcePositions());
  }

  /** A tree of all this would take more than a gigabyte. */
  @Test
  void refusesMoreValuesThanAllowedInLittleMemory() {
    byte[] forged =
        edited("\"schema\" : {", "\"x\" : [" + "[],".repeat(20_000_000) + "0], \"schema\" : {");
    long before = allocated();
    assertRefusedWith(forged, "more than 4194304 names and values");
    assertThat(allocated() - before).as("bytes allocated").isLessThan(600L << 20);
    forged[forged.length / 2] ^= 1;
    assertRefusedWith(forged, "manifest checksum mismatch");
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  @Test
  void messagesCarryNothingThatATerminalWouldInterpret() {
    String evil = "\\u001b[2J" + "x".repeat(5000);
    for (byte[] forged :
        List.of(
            edited("part-00000.bsdb", evil),
            edited("XXH3-128, seed 0", evil),
            edited("0000000002-0a1b2c3d", evil),
            edited("0000000001-12345678", evil),
            edited("80000001", evil),
            edited("BIGINT NOT NULL", evil),
            edited("0a1b2c3d-1111-2222-3333-444455556666", evil))) {
      assertThatThrownBy(() -> Manifest.decode(forged, FILE))
          .hasMessageContaining("file=" + FILE)
          .hasMessageContaining("\\u001b[2J")
          .message()
          .hasSizeLessThan(500)
          .doesNotContain("\u001b");
    }
  }

  @Test
  void namesTheVersionThatItCannotRead() {
    assertThatThrownBy(
            () -> Manifest.decode(edited("\"formatVersion\" : 1", "\"formatVersion\" : 3"), FILE))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessage(
            "manifest has format version 3, this bsdb reads version 2: file="
                + FILE
                + "; upgrade bsdb, or rebuild the table with this one");
  }

  @Test
  void refusesNumbersOfMoreThanAThousandCharacters() throws IOException {
    String digits = "1".repeat(999);
    for (String number :
        List.of("-" + digits, "1." + digits.substring(1), "1e" + digits.substring(1))) {
      byte[] longest = edited("\"options\" : {", "\"novelty\" : " + number + ", \"options\" : {");
      assertThat(Manifest.decode(longest, FILE)).isEqualTo(MANIFEST);
      assertRefusedWith(
          edited("\"options\" : {", "\"novelty\" : " + number + "1, \"options\" : {"), "umber");
    }
  }

  @Test
  void readsMembersThatALaterWriterAdds() throws IOException {
    byte[] later = edited("\"options\" : {", "\"novelty\" : {\"a\" : [1]}, \"options\" : {");
    assertThat(Manifest.decode(later, FILE)).isEqualTo(MANIFEST);
  }
}
