package io.bsdb.table.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {
  private static final String FILE = "t/snapshots/0000000002-0a1b2c3d/manifest.json";

  private static final Manifest MANIFEST =
      new Manifest(
          new Manifest.Identity(
              UUID.fromString("0a1b2c3d-1111-2222-3333-444455556666"),
              "0000000002-0a1b2c3d",
              "0000000001-12345678",
              Instant.parse("2026-01-02T03:04:05.678Z")),
          Schema.builder()
              .column("id", "BIGINT NOT NULL")
              .column("name", "STRING")
              .primaryKey("id")
              .build(),
          Map.of("layout", "blocked"),
          List.of(
              new PartitionFile(
                  "part-00001.bsdb",
                  new UUID(1, 1),
                  9000,
                  0x80000001,
                  5,
                  20,
                  100,
                  new PartitionFile.Place(1)),
              new PartitionFile(
                  "part-00000.bsdb",
                  new UUID(0, 0x2f),
                  5L << 40,
                  -1,
                  7,
                  28,
                  140,
                  new PartitionFile.Place(0))),
          Map.of("team", "ops", "owner", "Zürich \"checksum\" : \"00000000\""),
          Map.of("orders-0", "12345"));

  @Test
  void givesBackWhatWasEncoded() throws Exception {
    Manifest decoded = Manifest.decode(MANIFEST.encode(), FILE);
    assertThat(decoded).isEqualTo(MANIFEST);
    assertThat(decoded.recordCount()).isEqualTo(12);
    assertThat(decoded.length()).isEqualTo((5L << 40) + 9000);
    assertThat(decoded.partitions()).extracting(PartitionFile::partition).containsExactly(0, 1);
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
        IntStream.rangeClosed(0, Manifest.MAX_TEXTS)
            .boxed()
            .collect(Collectors.toMap(i -> "p" + i, i -> ""));
    assertRefusedWith(
        withProperties(many).encode(),
        "'properties' has too many entries: expected<=65536 actual=65537");
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
  void readsWhatItWroteOfChanges() throws Exception {
    SegmentFile first = new SegmentFile(3, new UUID(5, 6), 1000, 0x80000002, 0, -1, 10, 2);
    SegmentFile second = new SegmentFile(7, new UUID(5, 7), 2000, 1, 1L << 63, -1, 0, 1);
    List<PartitionFile> partitions =
        MANIFEST.partitions().stream().map(file -> file.in("0000000001-12345678")).toList();
    Manifest manifest =
        MANIFEST.with(
            partitions, Map.of(), new Changes(List.of(first, second), 9, Map.of(), History.NONE));
    byte[] encoded = manifest.encode();
    assertThat(new String(encoded, StandardCharsets.UTF_8)).contains("\"formatVersion\" : 2");
    assertThat(Manifest.decode(encoded, FILE)).isEqualTo(manifest);
    assertThat(manifest.changes().count()).isEqualTo(13);
    assertThat(manifest.changes().length()).isEqualTo(3000);
    assertThat(manifest.files())
        .contains(first.path(), "snapshots/0000000001-12345678/part-00000.bsdb");

    assertRefusedWith(
        edited(manifest, "\"formatVersion\" : 2", "\"formatVersion\" : 1"),
        "what only version 2 has");
    assertRefusedWith(edited(manifest, "\"number\" : 7", "\"number\" : 3"), "out of order");
    assertRefusedWith(edited(manifest, "\"number\" : 7", "\"number\" : 10"), "number out of range");
    assertRefusedWith(
        edited(manifest, new UUID(5, 7).toString(), new UUID(5, 6).toString()), "out of order");
    assertRefusedWith(
        edited(manifest, "8000000000000000", "8"), "firstHash does not have the form");
    assertRefusedWith(edited(manifest, "\"lastSegment\" : 9,", ""), "'lastSegment' is missing");
    assertRefusedWith(
        edited(manifest, "\"segments\" : [", "\"segments\" : {}, \"other\" : ["),
        "'segments' is not an array");
  }

  @Test
  void readsWhatItWroteOfHistory() throws Exception {
    SegmentFile folded = new SegmentFile(3, new UUID(5, 6), 1000, 1, 0, -1, 10, 2);
    SegmentFile applied = new SegmentFile(7, new UUID(5, 7), 2000, 1, 0, -1, 0, 1);
    History history = new History(new UUID(7, 8), 2, List.of(folded));
    Manifest manifest =
        MANIFEST.with(
            MANIFEST.partitions(), Map.of(), new Changes(List.of(applied), 7, Map.of(), history));
    assertThat(Manifest.decode(manifest.encode(), FILE)).isEqualTo(manifest);
    assertThat(manifest.files()).contains(applied.path()).doesNotContain(folded.path());
    assertThat(manifest.filesToKeep()).contains(applied.path(), folded.path());
    assertThat(manifest.changes().after(2)).containsExactly(folded, applied);
    assertThat(manifest.changes().after(3)).containsExactly(applied);

    assertRefusedWith(edited(manifest, "\"after\" : 2", "\"after\" : 3"), "out of order");
    assertRefusedWith(edited(manifest, "\"after\" : 2", "\"after\" : 8"), "after out of range");
    assertRefusedWith(
        edited(manifest, new UUID(5, 6).toString(), new UUID(5, 7).toString()), "out of order");
    assertRefusedWith(
        edited(manifest, new UUID(7, 8).toString(), "x"), "line does not have the form");
  }

  @Test
  void readsWhatItWroteOfStreams() throws Exception {
    StreamProgress progress =
        new StreamProgress(new StreamProgress.Checkpoint(new UUID(1, 1), 4))
            .after(new StreamProgress.Checkpoint(new UUID(1, 1), 5))
            .after(new StreamProgress.Checkpoint(new UUID(1, 2), 7));
    Manifest manifest =
        MANIFEST.with(
            MANIFEST.partitions(), Map.of(), Changes.NONE.with("a", progress).with("b", progress));
    byte[] encoded = manifest.encode();
    assertThat(new String(encoded, StandardCharsets.UTF_8)).contains("\"formatVersion\" : 2");
    assertThat(Manifest.decode(encoded, FILE)).isEqualTo(manifest);
    assertThat(manifest.changes().in(List.of(), History.NONE)).isEqualTo(manifest.changes());
    assertThat(manifest.changes().append(List.of()).streams()).containsKeys("a", "b");

    assertThat(progress.contains(new StreamProgress.Checkpoint(new UUID(1, 1), 5))).isTrue();
    assertThat(progress.contains(new StreamProgress.Checkpoint(new UUID(1, 1), 6))).isFalse();
    assertThat(progress.contains(new StreamProgress.Checkpoint(new UUID(1, 2), 7))).isTrue();
    assertThat(progress.contains(new StreamProgress.Checkpoint(new UUID(1, 3), 1))).isFalse();
    assertThat(progress.isSuperseded(new UUID(1, 1))).isTrue();

    assertRefusedWith(
        edited(manifest, "\"checkpoint\" : 7", "\"checkpoint\" : -7"), "checkpoint out of range");
    assertRefusedWith(edited(manifest, "\"superseded\"", "\"other\""), "'superseded' is missing");
    assertRefusedWith(
        edited(manifest, new UUID(1, 2).toString(), "x"), "incarnation does not have the form");
  }

  @Test
  void readsWhatItWroteOfSourceTimes() throws Exception {
    StreamProgress unknown = new StreamProgress(new StreamProgress.Checkpoint(new UUID(1, 1), 4));
    StreamProgress early = unknown.at(Instant.parse("1969-12-31T23:59:59.000999Z"));
    StreamProgress late = unknown.at(Instant.parse("2028-01-02T03:04:05.678Z"));
    Changes changes = Changes.NONE.with("early", early).with("late", late);
    Manifest manifest = MANIFEST.with(MANIFEST.partitions(), Map.of(), changes);

    assertThat(Manifest.decode(manifest.encode(), FILE)).isEqualTo(manifest);
    assertThat(changes.sourceTime()).isEqualTo(Instant.parse("1969-12-31T23:59:59Z"));
    assertThat(changes.with("u", unknown).sourceTime()).isNull();
    assertThat(Changes.NONE.sourceTime()).isNull();
    assertRefusedWith(
        edited(manifest, "2028-01-02T03:04:05.678Z", "2028-01-02T03:04:05.6Z"),
        "sourceTime does not have the form");
    assertRefusedWith(edited(manifest, "2028-01-02T03", "2028-01-32T03"), "2028-01-32T03");
  }

  @Test
  void aSourceTimeNeverGoesBack() {
    StreamProgress.Checkpoint next = new StreamProgress.Checkpoint(new UUID(1, 2), 5);
    Instant time = Instant.parse("2026-01-01T00:00:00Z");
    StreamProgress progress =
        new StreamProgress(new StreamProgress.Checkpoint(new UUID(1, 1), 4)).at(time);
    assertThat(progress.after(next).sourceTime()).isEqualTo(time);
    assertThat(progress.at(time.minusMillis(1)).sourceTime()).isEqualTo(time);
    assertThat(progress.at(null).sourceTime()).isEqualTo(time);
    assertThat(progress.at(time.plusMillis(1)).sourceTime()).isEqualTo(time.plusMillis(1));

    StreamProgress ended = progress.at(Instant.ofEpochMilli(Long.MAX_VALUE));
    assertThat(ended.sourceTime()).isEqualTo(StreamProgress.END);
    assertThat(ended.at(time).sourceTime()).as("of an input that goes on").isEqualTo(time);
    assertThat(ended.at(null).sourceTime()).isNull();
  }

  @Test
  void remembersOnlySoManySupersededIncarnations() {
    StreamProgress progress = new StreamProgress(new StreamProgress.Checkpoint(new UUID(0, 0), 1));
    for (int i = 1; i <= StreamProgress.MAX_SUPERSEDED + 1; i++) {
      progress = progress.after(new StreamProgress.Checkpoint(new UUID(0, i), 1));
    }
    assertThat(progress.superseded()).hasSize(StreamProgress.MAX_SUPERSEDED);
    assertThat(progress.isSuperseded(new UUID(0, 0))).isFalse();
    assertThat(progress.isSuperseded(new UUID(0, 1))).isTrue();
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

  private static void assertRefusedWith(byte[] bytes, String message) {
    assertThatThrownBy(() -> Manifest.decode(bytes, FILE))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("file=" + FILE)
        .hasMessageContaining(message);
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

  /** The manifest with its text changed and its checksum right again. */
  private static byte[] edited(String old, String replacement) {
    return edited(MANIFEST, old, replacement);
  }

  private static byte[] edited(Manifest manifest, String old, String replacement) {
    String text = new String(manifest.encode(), StandardCharsets.UTF_8);
    assertThat(text).contains(old);
    int at = text.indexOf(old);
    String changed = text.substring(0, at) + replacement + text.substring(at + old.length());
    return checksummed(changed.substring(0, changed.lastIndexOf("\"checksum\"")));
  }

  private static byte[] checksummed(String covered) {
    return withRightChecksum(
        (covered + "\"checksum\" : \"00000000\"\n}\n").getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] withRightChecksum(byte[] bytes) {
    int covered = bytes.length - "\"checksum\" : \"00000000\"\n}\n".length();
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, covered);
    byte[] checksum = SnapshotFormat.hex((int) crc.getValue()).getBytes(StandardCharsets.US_ASCII);
    byte[] right = bytes.clone();
    System.arraycopy(checksum, 0, right, bytes.length - 12, checksum.length);
    return right;
  }
}
