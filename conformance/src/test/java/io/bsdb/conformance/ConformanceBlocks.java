package io.bsdb.conformance;

import static io.bsdb.conformance.ConformanceDamage.CORRUPT;
import static io.bsdb.conformance.ConformanceDamage.ascii;
import static io.bsdb.conformance.ConformanceDamage.flip;
import static io.bsdb.conformance.ConformanceDamage.indexOf;
import static io.bsdb.format.SectionKind.PROPERTIES;

import com.github.luben.zstd.ZstdCompressCtx;
import io.bsdb.conformance.ConformanceDamage.Base;
import io.bsdb.conformance.ConformanceDamage.Case;
import io.bsdb.testkit.FileParts;
import io.bsdb.testkit.TablePieces;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Damaged blocks of records and of frames. */
final class ConformanceBlocks {
  private final List<Case> cases = new ArrayList<>();

  private ConformanceBlocks() {}

  static List<Case> damage() {
    ConformanceBlocks damage = new ConformanceBlocks();
    damage.blocks();
    damage.records();
    damage.frames();
    return damage.cases;
  }

  private void add(String name, String fails, Base base, Consumer<TablePieces> change) {
    cases.add(new Case(name, fails, false, base, change));
  }

  private void blocks() {
    add(
        "block-checksum",
        CORRUPT,
        Base.PLAIN,
        table -> table.fileDamage = file -> flip(file, indexOf(file, ascii("134591"))));
    add("blocks-swapped", CORRUPT, Base.EVEN_BLOCKS, TablePieces::swapBlocks);
    add("block-content-length-23", CORRUPT, Base.PLAIN, table -> table.block(0).putInt(4, 23));
    add("block-content-too-long", CORRUPT, Base.PLAIN, table -> table.block(0).putInt(4, 62));
    add("block-content-too-short", CORRUPT, Base.PLAIN, table -> table.block(0).putInt(4, 60));
    add("block-longer-than-its-pages", CORRUPT, Base.PAGES, table -> table.padBlock(0, 4096));
    add("block-first-rank", CORRUPT, Base.PLAIN, table -> table.block(0).putInt(8, 1));
    add("block-record-count", CORRUPT, Base.PLAIN, table -> table.block(0).putShort(12, (short) 2));
    add(
        "block-without-frames",
        CORRUPT,
        Base.FRAMES,
        table -> table.block(0).putShort(14, (short) 0));
    add("block-with-frames", CORRUPT, Base.PLAIN, table -> table.block(0).putShort(14, (short) 1));
    content("block-of-fixed-records-too-long", Base.FIXED, content -> Arrays.copyOf(content, 37));
    content("block-of-fixed-records-too-short", Base.FIXED, content -> Arrays.copyOf(content, 35));
  }

  private void content(String name, Base base, UnaryOperator<byte[]> change) {
    add(name, CORRUPT, base, table -> table.content(0, change.apply(table.content(0))));
  }

  private void records() {
    content("slot-0-too-high", Base.PLAIN, content -> put(content, 0, 7, 0));
    content("slot-0-too-low", Base.PLAIN, content -> put(content, 0, 5, 0));
    content("slot-within-slots", Base.PLAIN, content -> put(content, 2, 4, 0));
    content("slots-decrease", Base.PLAIN, content -> put(content, 2, 29, 0));
    content("slot-beyond-block", Base.PLAIN, content -> put(content, 4, 200, 0));
    content("key-length-0", Base.PLAIN, content -> put(content, 6, 0));
    content("key-length-not-minimal", Base.PLAIN, content -> firstKey(content, 0x84, 0));
    content(
        "key-length-not-minimal-of-3-bytes",
        Base.PLAIN,
        content -> firstKey(content, 0x84, 0x80, 0));
    content("key-length-0-not-minimal", Base.PLAIN, content -> firstKey(content, 0x80, 0));
    content("key-length-of-4-bytes", Base.PLAIN, content -> firstKey(content, 0x84, 0x80, 0x80, 0));
    content("key-longer-than-record", Base.PLAIN, content -> put(content, 6, 12));
    content("key-longer-than-65535", Base.PLAIN, ConformanceBlocks::longKey);
    content(
        "value-of-other-length",
        Base.FIXED_VALUES,
        content -> Arrays.copyOf(content, content.length + 1));
  }

  private static byte[] put(byte[] content, int offset, int... octets) {
    for (int i = 0; i < octets.length; i++) {
      content[offset + i] = (byte) octets[i];
    }
    return content;
  }

  /** Replaces the length of the first key, one byte, by these bytes; the other records move. */
  private static byte[] firstKey(byte[] content, int... length) {
    ByteArrayOutputStream changed = new ByteArrayOutputStream();
    ByteBuffer slots = FileParts.littleEndian(content);
    for (int i = 2; i < 6; i += 2) {
      slots.putShort(i, (short) (slots.getShort(i) + length.length - 1));
    }
    changed.write(content, 0, 6);
    for (int octet : length) {
      changed.write(octet);
    }
    changed.write(content, 7, content.length - 7);
    return changed.toByteArray();
  }

  /** Gives the last record a key of 65,536 bytes. */
  private static byte[] longKey(byte[] content) {
    int last = FileParts.littleEndian(content).getShort(4);
    byte[] changed = Arrays.copyOf(content, last + 3 + 65_536);
    return put(changed, last, 0x80, 0x80, 0x04);
  }

  private void frame(String name, UnaryOperator<byte[]> change) {
    content("frame-" + name, Base.FIXED_FRAMES, content -> framed(change.apply(frame(content))));
  }

  /** The only frame of a block. */
  private static byte[] frame(byte[] content) {
    return Arrays.copyOfRange(content, 2, content.length);
  }

  private static byte[] framed(byte[]... frames) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.writeBytes(new byte[2]);
    for (byte[] frame : frames) {
      content.writeBytes(frame);
    }
    return content.toByteArray();
  }

  private static byte[] compressed(byte[] body, Consumer<ZstdCompressCtx> settings) {
    try (ZstdCompressCtx context = new ZstdCompressCtx()) {
      context.setMagicless(true).setContentSize(false).setChecksum(false).setDictID(false);
      settings.accept(context);
      return context.compress(body);
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private void frames() {
    byte[] body = new byte[36];
    frame("empty", frame -> new byte[0]);
    frame("cut", frame -> Arrays.copyOf(frame, frame.length - 1));
    frame("with-a-byte-behind", frame -> Arrays.copyOf(frame, frame.length + 1));
    frame("twice", frame -> joined(frame, compressed(new byte[0], context -> {})));
    frame("with-content-size", frame -> compressed(body, context -> context.setContentSize(true)));
    frame("with-checksum", frame -> compressed(body, context -> context.setChecksum(true)));
    frame("with-magic", frame -> compressed(body, context -> context.setMagicless(false)));
    frame("no-zstd", frame -> new byte[] {0, 88, 7, 0, 0, 1, 2, 3});
    frame("of-shorter-body", frame -> compressed(new byte[35], context -> {}));
    frame("of-longer-body", frame -> compressed(new byte[37], context -> {}));
    add(
        "frame-longer-than-block-says",
        CORRUPT,
        Base.FIXED_FRAMES,
        table -> table.block(0).putInt(16, 35));
    add(
        "frame-longer-than-file-says",
        CORRUPT,
        Base.FIXED_FRAMES,
        table -> table.section(PROPERTIES).putInt(32, 35));
    add(
        "frames-of-no-records",
        CORRUPT,
        Base.FRAMES,
        table -> table.block(0).putShort(20, (short) 0));
    content("frame-start-0-not-0", Base.FRAMES, content -> put(content, 0, 1));
    content("frame-starts-decrease", Base.FRAMES, content -> put(content, 2, 0xff, 0xff));
  }
}
