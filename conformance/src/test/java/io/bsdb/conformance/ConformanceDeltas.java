package io.bsdb.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bsdb.compact.Compactor;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.FrameBuffer;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.Crc;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;

/** The tables of {@code conformance} that have changes, sound ones and others. */
final class ConformanceDeltas {
  private static final String CORRUPT = "corrupt";
  private static final int FIRST_FRAME = 64;
  private static final int FIRST_RECORD = FIRST_FRAME + 32;

  private ConformanceDeltas() {}

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  private static Records base() {
    Records base = Records.empty();
    for (int i = 0; i < 60; i++) {
      base.add(ascii("k" + i), ascii("base of " + i));
    }
    return base;
  }

  /** Changes keys: every fourth is put, every fifth deleted, from some number on. */
  private static Records change(Path table, Records data, int from, int to, String value)
      throws IOException {
    List<byte[]> keys = new ArrayList<>(data.keys());
    List<byte[]> values = new ArrayList<>(data.values());
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
      for (int i = from; i < to; i++) {
        byte[] key = ascii("k" + i);
        int at = 0;
        while (at < keys.size() && !Arrays.equals(keys.get(at), key)) {
          at++;
        }
        if (i % 5 == 0) {
          writer.delete(key);
          if (at < keys.size()) {
            keys.remove(at);
            values.remove(at);
          }
        } else if (i % 4 == 0) {
          byte[] changed = i % 8 == 0 ? ascii(value + i) : new byte[0];
          writer.put(key, ascii("overwritten"));
          writer.put(key, changed);
          if (at < keys.size()) {
            values.set(at, changed);
          } else {
            keys.add(key);
            values.add(changed);
          }
        }
      }
      writer.publish();
    }
    Records changed = Records.empty();
    for (int i = 0; i < keys.size(); i++) {
      changed.add(keys.get(i), values.get(i));
    }
    return changed;
  }

  /** Writes a table and describes it. */
  interface Sound {
    Records write(Path table) throws IOException;
  }

  /**
   * A sound table.
   *
   * @param table writes it, and says what is in it
   */
  record Good(String name, Sound table) {}

  static List<Good> good() {
    return List.of(
        new Good("changes", ConformanceDeltas::changes),
        new Good("changes-folded", ConformanceDeltas::folded),
        new Good("changes-merged", ConformanceDeltas::merged),
        new Good("changes-over-nothing", ConformanceDeltas::overNothing),
        new Good("changes-of-all-lengths", ConformanceDeltas::lengths),
        new Good("changes-with-positions", ConformanceDeltas::positions),
        new Good("changes-of-a-log", ConformanceDeltas::log),
        new Good("changes-in-key-order", ConformanceDeltas::ordered),
        new Good("changes-in-key-order-folded", ConformanceDeltas::orderedFolded));
  }

  /** Returns keys that changes may have deleted. */
  static List<byte[]> deletedKeys(Records data) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      byte[] key = ascii("k" + i);
      if (data.keys().stream().noneMatch(other -> Arrays.equals(other, key))) {
        keys.add(key);
      }
    }
    return keys;
  }

  private static Records changes(Path table) throws IOException {
    Records data = base();
    data.publish(table, WriterOptions.builder().layout(Layout.COMPACT).partitions(3).build());
    data = change(table, data, 0, 80, "first ");
    return change(table, data, 30, 100, "second ");
  }

  /**
   * A file of a log that became a segment: its first frame, one of records, a mark, and its seal.
   */
  private static Records log(Path table) throws IOException {
    Records data = base();
    data.publish(table, WriterOptions.builder().layout(Layout.COMPACT).partitions(3).build());
    UUID id = UUID.fromString("3c5a7e10-2b4d-4f6a-8c01-9e0d1c2b3a4f");
    ByteBuffer bytes = ByteBuffer.allocate(4096);
    bytes.put(LogSegment.header(id, 1));
    bytes.put(LogSegment.firstFrame(id, LogSegment.Place.NONE));
    FrameBuffer frame = new FrameBuffer(ByteBuffer::allocate);
    frame.add(ChangeKind.PUT, ascii("k1"), ascii("of a log"));
    frame.add(ChangeKind.DELETE, ascii("k2"), new byte[0]);
    frame.add(ChangeKind.POSITION, ascii("s"), ascii("7"));
    bytes.put(frame.finishRecords(new PartChecksum(id), bytes.position(), 2, 64));
    int end = bytes.position();
    bytes.put(
        new FrameBuffer(ByteBuffer::allocate).finishRecords(new PartChecksum(id), end, 3, end));
    bytes.put(LogSegment.seal(id, bytes.position(), 3, 1, 1, 1));
    byte[] file = Arrays.copyOf(bytes.array(), bytes.position());
    long put = KeyHash.hash(ascii("k1")).getMostSignificantBits();
    long delete = KeyHash.hash(ascii("k2")).getMostSignificantBits();
    boolean inOrder = Long.compareUnsigned(put, delete) < 0;
    CRC32C checksum = new CRC32C();
    checksum.update(file);
    SegmentFile segment =
        new SegmentFile(
            0,
            id,
            file.length,
            (int) checksum.getValue(),
            inOrder ? put : delete,
            inOrder ? delete : put,
            1,
            1);
    try (TableStorage.Output out = Table.at(table).storage().create(segment.path())) {
      out.write(ByteBuffer.wrap(file));
      out.commit();
    }
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
      writer.segment(segment);
      writer.publish();
    }
    Records changed = Records.empty();
    for (int i = 0; i < data.keys().size(); i++) {
      byte[] key = data.keys().get(i);
      if (Arrays.equals(key, ascii("k1"))) {
        changed.add(key, ascii("of a log"));
      } else if (!Arrays.equals(key, ascii("k2"))) {
        changed.add(key, data.values().get(i));
      }
    }
    return changed;
  }

  private static Records ordered(Path table) throws IOException {
    Records data = base();
    data.publish(
        table,
        WriterOptions.builder()
            .order(RecordOrder.KEY)
            .layout(Layout.COMPACT)
            .blockSize(512)
            .partitions(3)
            .build());
    data = change(table, data, 0, 80, "first ");
    return change(table, data, 30, 100, "second ");
  }

  private static Records orderedFolded(Path table) throws IOException {
    Records data = ordered(table);
    new Compactor(table).foldFraction(0).maxPartitions(2).keepHistory(Duration.ZERO).run();
    return change(table, data, 20, 50, "third ");
  }

  private static Records folded(Path table) throws IOException {
    Records data = changes(table);
    new Compactor(table).foldFraction(0).keepHistory(Duration.ZERO).run();
    data = change(table, data, 20, 50, "third ");
    // The partition that has the most changes is folded, the others are not.
    new Compactor(table).foldFraction(0.24).run();
    return change(table, data, 40, 60, "fourth ");
  }

  private static Records merged(Path table) throws IOException {
    Records data = changes(table);
    new Compactor(table).foldFraction(100).maxSegments(1).run();
    data = change(table, data, 10, 20, "third ");
    Table.at(table).prune(1);
    return data;
  }

  private static Records overNothing(Path table) throws IOException {
    Records.empty().publish(table, WriterOptions.builder().partitions(2).minRows(0).build());
    return change(table, Records.empty(), 0, 40, "first ");
  }

  private static Records lengths(Path table) throws IOException {
    Records data = Records.random(21, 40, Lengths.VARYING, Lengths.VARYING, 30);
    data.publish(table, WriterOptions.builder().layout(Layout.BLOCKED).partitions(1).build());
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
      for (int length : new int[] {1, 127, 128, 16_383, 16_384, 65_535}) {
        byte[] key = new byte[length];
        Arrays.fill(key, (byte) 'x');
        byte[] value = new byte[length == 65_535 ? 300_000 : length - 1];
        Arrays.fill(value, (byte) 'v');
        writer.put(key, value);
        data.add(key, value);
      }
      writer.publish();
    }
    return data;
  }

  /** What no writer does today: records of positions. */
  private static Records positions(Path table) throws IOException {
    Records data = base();
    data.publish(table, WriterOptions.builder().partitions(2).build());
    Table live = Table.at(table);
    UUID id = UUID.randomUUID();
    byte[] key = ascii("another");
    long high = KeyHash.hash(key).getMostSignificantBits();
    try (TableStorage.Output output = live.storage().create(SegmentFile.path(id))) {
      SegmentWriter writer = new SegmentWriter(output, id);
      writer.add(ChangeKind.POSITION, ascii("topic-0"), ascii("4711"));
      writer.add(ChangeKind.PUT, key, ascii("value"));
      writer.add(ChangeKind.POSITION, key, new byte[0]);
      writer.seal();
      output.commit();
      SegmentFile file =
          new SegmentFile(
              0,
              id,
              writer.length(),
              Crc.of(table.resolve(SegmentFile.path(id))),
              high,
              high,
              writer.puts(),
              0);
      live.edit(
          manifest ->
              manifest.with(
                  manifest.partitions(),
                  manifest.sourcePositions(),
                  manifest.changes().append(List.of(file))));
    }
    return data.add(key, ascii("value"));
  }

  /**
   * A table that is to be refused.
   *
   * @param fails the class of the failure
   * @param full whether only full verification finds it
   */
  record Bad(String name, String fails, boolean full, Consumer<SegmentPieces> change) {
    /** The keys that are looked up. */
    static List<byte[]> keys() {
      return List.of(ascii("a"), ascii("b"), ascii("c"), ascii("d"));
    }

    void write(Path sound, Path table) throws IOException {
      if (!Files.exists(sound)) {
        Records data = Records.empty().add(ascii("a"), ascii("base")).add(ascii("d"), ascii("d"));
        data.publish(sound, WriterOptions.builder().layout(Layout.COMPACT).partitions(1).build());
        for (String key : List.of("b", "c")) {
          try (DeltaWriter writer = DeltaWriter.create(Table.at(sound))) {
            writer.put(ascii("a"), ascii("changed"));
            writer.delete(ascii(key));
            writer.publish();
          }
        }
      }
      SegmentPieces pieces = SegmentPieces.of(sound);
      change.accept(pieces);
      pieces.write(table);
    }
  }

  private static Bad bytes(String name, Consumer<ByteBuffer> change) {
    return new Bad("segment-" + name, CORRUPT, false, pieces -> change.accept(pieces.bytes()));
  }

  /** Checksums stay as they were. */
  private static Bad damaged(String name, UnaryOperator<byte[]> damage) {
    return new Bad("segment-" + name, CORRUPT, false, pieces -> pieces.damage = damage);
  }

  private static Bad manifest(String name, String old, String replacement) {
    return new Bad(
        "manifest-" + name,
        CORRUPT,
        false,
        pieces -> pieces.manifestChange = text -> replaceLast(text, old, replacement));
  }

  private static String replaceLast(String text, String old, String replacement) {
    int at = text.lastIndexOf(old);
    if (at < 0) {
      throw new IllegalArgumentException("not in the manifest: " + old);
    }
    return text.substring(0, at) + replacement + text.substring(at + old.length());
  }

  private static byte[] flip(byte[] bytes, int at) {
    bytes[at] ^= 1;
    return bytes;
  }

  static List<Bad> bad() {
    List<Bad> bad = new ArrayList<>();
    bad.add(new Bad("segment-missing", "not found", false, pieces -> pieces.damage = null));
    bad.add(
        new Bad(
            "segment-of-a-later-version",
            "unsupported",
            false,
            pieces -> pieces.bytes().putInt(8, 4)));
    bad.add(bytes("magic", bytes -> bytes.put(1, (byte) 'b')));
    bad.add(bytes("version-1", bytes -> bytes.putInt(8, 1)));
    bad.add(bytes("of-another-id", bytes -> bytes.put(16, (byte) ~bytes.get(16))));
    bad.add(bytes("frame-type", bytes -> bytes.putInt(FIRST_FRAME + 28, 3)));
    bad.add(bytes("frame-sequence", bytes -> bytes.putLong(FIRST_FRAME + 8, 2)));
    bad.add(bytes("frame-one-record-less", bytes -> bytes.putInt(FIRST_FRAME + 24, 1)));
    bad.add(bytes("frame-one-record-more", bytes -> bytes.putInt(FIRST_FRAME + 24, 3)));
    bad.add(bytes("record-kind-0", bytes -> bytes.put(FIRST_RECORD, (byte) 0)));
    bad.add(bytes("record-kind-4", bytes -> bytes.put(FIRST_RECORD, (byte) 4)));
    bad.add(bytes("record-without-key", bytes -> bytes.put(FIRST_RECORD + 1, (byte) 0)));
    bad.add(bytes("record-beyond-its-frame", bytes -> bytes.put(FIRST_RECORD + 2, (byte) 99)));
    bad.add(bytes("record-turned-position", bytes -> bytes.put(FIRST_RECORD, (byte) 3)));
    bad.add(bytes("seal-frames", bytes -> bytes.putLong(bytes.limit() - 32, 2)));
    bad.add(bytes("seal-puts", bytes -> bytes.putLong(bytes.limit() - 24, 2)));
    bad.add(bytes("seal-deletes", bytes -> bytes.putLong(bytes.limit() - 16, 0)));
    bad.add(bytes("seal-positions", bytes -> bytes.putLong(bytes.limit() - 8, 1)));
    bad.add(damaged("header-checksum", bytes -> flip(bytes, 40)));
    bad.add(damaged("frame-checksum", bytes -> flip(bytes, FIRST_RECORD + 4)));
    bad.add(damaged("frame-length", bytes -> flip(bytes, FIRST_FRAME + 4)));
    bad.add(damaged("seal-checksum", bytes -> flip(bytes, bytes.length - 1)));
    bad.add(damaged("padding", bytes -> flip(bytes, bytes.length - 65)));
    bad.add(
        new Bad(
            "segment-without-seal", CORRUPT, false, pieces -> pieces.cut(pieces.length() - 64)));
    bad.add(new Bad("segment-longer", CORRUPT, false, pieces -> pieces.cut(pieces.length() + 8)));
    bad.add(new Bad("segment-of-its-header", CORRUPT, false, pieces -> pieces.cut(64)));
    bad.add(new Bad("segment-of-40-bytes", CORRUPT, false, pieces -> pieces.cut(40)));
    bad.add(damaged("of-another-length", bytes -> Arrays.copyOf(bytes, bytes.length + 8)));
    bad.add(
        new Bad(
            "segment-checksum-of-the-manifest",
            CORRUPT,
            true,
            pieces ->
                pieces.manifestChange =
                    text ->
                        text.replaceAll(
                            "(\"number\" : 2,[^}]*\"checksum\" : \")[0-9a-f]{8}", "$100000000")));
    bad.add(manifest("segment-puts", "\"puts\" : 1", "\"puts\" : 2"));
    bad.add(manifest("segment-deletes", "\"deletes\" : 1", "\"deletes\" : 0"));
    bad.add(manifest("segment-number", "\"number\" : 2", "\"number\" : 1"));
    bad.add(manifest("segment-number-above-the-last", "\"number\" : 2", "\"number\" : 3"));
    bad.add(manifest("without-last-segment", "\"lastSegment\" : 2,", ""));
    bad.add(manifest("history-without-after", "\"after\"", "\"x\""));
    bad.add(manifest("segments-in-version-1", "\"formatVersion\" : 2", "\"formatVersion\" : 1"));
    bad.add(manifest("history-no-object", "\"history\" : {", "\"history\" : 1, \"x\" : {"));
    bad.add(manifest("streams-no-object", "\"history\" :", "\"streams\" : [], \"history\" :"));
    bad.add(
        manifest(
            "stream-without-checkpoint",
            "\"history\" :",
            "\"streams\" : {\"s\" : {\"superseded\" : []}}, \"history\" :"));
    bad.add(
        manifest(
            "stream-without-day",
            "\"history\" :",
            "\"streams\" : {\"s\" : {\"incarnation\" : \"00000000-0000-0000-0000-000000000001\","
                + " \"checkpoint\" : 1, \"superseded\" : [], \"sourceTime\" :"
                + " \"2026-02-30T00:00:00Z\"}}, \"history\" :"));
    bad.add(
        new Bad(
            "manifest-segment-hashes",
            CORRUPT,
            false,
            pieces ->
                pieces.manifestChange =
                    text ->
                        text.replaceAll(
                            "\"lastHash\" : \"[0-9a-f]+", "\"lastHash\" : \"" + "0".repeat(16))));
    bad.add(
        new Bad(
            "manifest-segments-no-array",
            CORRUPT,
            false,
            pieces ->
                pieces.manifestChange =
                    text ->
                        text.replaceFirst("\"segments\" : \\[", "\"segments\" : {}, \"x\" : [")));
    bad.add(
        new Bad(
            "manifest-segments-of-one-id",
            CORRUPT,
            false,
            pieces ->
                pieces.manifestChange = text -> text.replace(pieces.secondId(), pieces.firstId())));
    return bad;
  }

  /** Returns the manifest in service. */
  static Manifest inService(Path table) throws IOException {
    return Table.at(table).manifest(Table.at(table).requireCurrentVersion());
  }
}
