package io.bsdb.format.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.UnsupportedVersionException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SegmentTest {
  private static final byte[] NOTHING = new byte[0];

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private UUID fileId = new UUID(0, 0);

  private record Change(ChangeKind kind, String key, String value) {}

  private byte[] segment(List<Change> changes) throws IOException {
    SegmentWriter writer = new SegmentWriter(Channels.newChannel(out), UUID.randomUUID());
    for (Change change : changes) {
      writer.add(change.kind, bytes(change.key), bytes(change.value));
    }
    writer.seal();
    fileId = writer.fileId();
    assertThat(writer.length()).isEqualTo(out.size());
    return out.toByteArray();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private List<Change> replayed(byte[] file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    Segment segment = new Segment(bytes, fileId, "s");
    List<Change> changes = new ArrayList<>();
    segment.replay(
        (kind, record) -> {
          assertThat(segment.isDelete(record)).isEqualTo(kind == ChangeKind.DELETE);
          String key = text(segment, segment.key(record));
          assertThat(segment.hasKey(record, bytes(key))).isTrue();
          assertThat(segment.hasKey(record, bytes(key + "x"))).isFalse();
          String value = kind == ChangeKind.DELETE ? "" : text(segment, segment.value(record));
          changes.add(new Change(kind, key, value));
        });
    return changes;
  }

  private static String text(Segment segment, long found) {
    byte[] bytes = new byte[(int) found];
    segment.body().get((int) (found >>> 32), bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static final List<Change> CHANGES =
      List.of(
          new Change(ChangeKind.PUT, "a", "1"),
          new Change(ChangeKind.DELETE, "b", ""),
          new Change(ChangeKind.PUT, "k".repeat(200), "v".repeat(300)),
          new Change(ChangeKind.POSITION, "orders-0", "4711"),
          new Change(ChangeKind.PUT, "a", ""));

  @Test
  void holdsWhatWasWrittenInItsOrder() throws IOException {
    assertThat(replayed(segment(CHANGES))).isEqualTo(CHANGES);
  }

  @Test
  void mayHoldNothing() throws IOException {
    assertThat(replayed(segment(List.of()))).isEmpty();
  }

  @Test
  void holdsManyFramesAndLongRecords() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      int length = i % 5_000 == 0 ? 1 << 20 : random.nextInt(100);
      changes.add(new Change(ChangeKind.PUT, "key" + i, "x".repeat(length)));
    }
    changes.add(
        new Change(ChangeKind.PUT, "k".repeat(SnapshotFormat.MAX_KEY_LENGTH), "longest key"));
    assertThat(replayed(segment(changes))).as("seed %d", seed).isEqualTo(changes);
  }

  @Test
  void noticesEveryFlippedBit() throws IOException {
    byte[] file = segment(CHANGES);
    for (int bit = 0; bit < 8 * file.length; bit++) {
      byte[] damaged = file.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> replayed(damaged))
          .as("bit %d", bit)
          .isInstanceOfAny(CorruptSnapshotException.class, UnsupportedVersionException.class)
          .hasMessageContaining("file=s");
    }
  }

  @Test
  void noticesEveryMissingEndAndWhatFollows() throws IOException {
    byte[] file = segment(CHANGES);
    for (int length = 0; length < file.length; length++) {
      byte[] cut = Arrays.copyOf(file, length);
      assertThatThrownBy(() -> replayed(cut))
          .as("length %d", length)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("file=s");
    }
    assertThatThrownBy(() -> replayed(Arrays.copyOf(file, file.length + 8)))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("data after the end frame of a segment");
  }

  /** Whoever writes them, with checksums that are right: each byte changed, or the last one. */
  @Test
  void reportsForgedFramesAsDamage() throws IOException {
    byte[] file = segment(CHANGES);
    int length =
        ByteBuffer.wrap(file)
            .order(ByteOrder.LITTLE_ENDIAN)
            .getInt(SegmentFormat.HEADER_LENGTH + SegmentFormat.FRAME_FRAME_LENGTH);
    for (int end = SegmentFormat.FRAME_HEADER_LENGTH; end < length; end++) {
      byte[] cut = Arrays.copyOf(file, SegmentFormat.HEADER_LENGTH + end);
      assertDamage(cut);
      for (int last : new int[] {0x00, 0x02, 0x7F, 0x80, 0xFF}) {
        cut[cut.length - 1] = (byte) last;
        assertDamage(cut);
      }
    }
  }

  private void assertDamage(byte[] file) {
    int frame = SegmentFormat.HEADER_LENGTH;
    ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(frame + SegmentFormat.FRAME_FRAME_LENGTH, file.length - frame);
    Segment segment = new Segment(bytes, fileId, "s");
    int checksum = segment.checksum(new PartChecksum(fileId), frame, file.length - frame);
    bytes.putInt(frame + SegmentFormat.FRAME_CHECKSUM, checksum);
    assertThatThrownBy(() -> replayed(file))
        .as("length %d", file.length)
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("file=s");
  }

  @Test
  void noticesFramesOfOtherPlacesAndFiles() throws IOException {
    SegmentWriter writer = new SegmentWriter(Channels.newChannel(out), UUID.randomUUID());
    byte[] value = new byte[SegmentFormat.FRAME_TARGET_LENGTH];
    for (int i = 0; i < 3; i++) {
      writer.add(ChangeKind.PUT, bytes("k" + i), value);
    }
    writer.seal();
    fileId = writer.fileId();
    byte[] file = out.toByteArray();
    int frame = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(64 + 4);
    int step = (int) SegmentFormat.aligned(frame);
    byte[] moved = file.clone();
    System.arraycopy(file, 64, moved, 64 + step, step);
    assertThatThrownBy(() -> replayed(moved))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("checksum mismatch: file=s offset=" + (64 + step));

    UUID other = fileId;
    out.reset();
    byte[] second = segment(List.of(new Change(ChangeKind.PUT, "k", "v")));
    fileId = other;
    assertThatThrownBy(() -> replayed(second))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("another one");
  }

  @Test
  void refusesLengthsOutOfRange() {
    assertThatThrownBy(() -> SegmentWriter.requireKeyLength(0))
        .hasMessageContaining("expected 1 to 65535, actual 0");
    assertThatThrownBy(() -> SegmentWriter.requireKeyLength(65_536)).hasMessageContaining("65536");
    assertThatThrownBy(() -> SegmentWriter.requireValueLength(SnapshotFormat.MAX_VALUE_LENGTH + 1))
        .hasMessageContaining("value length");
  }

  @Test
  void deletesTakeNoValue() throws IOException {
    SegmentWriter writer = new SegmentWriter(Channels.newChannel(out), UUID.randomUUID());
    writer.add(ChangeKind.DELETE, bytes("k"), NOTHING);
    writer.seal();
    fileId = writer.fileId();
    assertThat(replayed(out.toByteArray())).containsExactly(new Change(ChangeKind.DELETE, "k", ""));
    assertThat(writer.deletes()).isOne();
    assertThat(writer.puts()).isZero();
  }
}
