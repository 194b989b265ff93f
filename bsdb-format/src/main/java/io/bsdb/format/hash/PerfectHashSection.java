package io.bsdb.format.hash;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The head that sections of every kind share, and the checks of fields from disk. */
final class PerfectHashSection {

  static final int KIND_OFFSET = 0;
  static final int VERSION_OFFSET = 1;
  static final int RESERVED_OFFSET = 2;
  static final int SIZE_OFFSET = 4;

  /** Length of the head, and of the whole section of an empty hash. */
  static final int HEAD_BYTES = 8;

  private static final int VERSION = 1;

  private PerfectHashSection() {}

  /** Returns a section with its head, and zeros for the rest. */
  static byte[] create(PerfectHashKind kind, int size, int length) {
    byte[] bytes = new byte[length];
    bytes[KIND_OFFSET] = (byte) kind.id();
    bytes[VERSION_OFFSET] = VERSION;
    littleEndian(bytes).putInt(SIZE_OFFSET, size);
    return bytes;
  }

  static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  static PerfectHash open(ByteBuffer buffer) throws CorruptSnapshotException {
    ByteBuffer section = buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
    requireLength(section, HEAD_BYTES);
    PerfectHashKind kind = kind(section.get(KIND_OFFSET));
    require("version", section.get(VERSION_OFFSET), VERSION, VERSION);
    require("reserved field", section.getShort(RESERVED_OFFSET), 0, 0);
    int size = section.getInt(SIZE_OFFSET);
    require("size", size, 0, PerfectHashBuilder.MAX_SIZE);
    if (size == 0) {
      require("length", section.capacity(), HEAD_BYTES, HEAD_BYTES);
      return new EmptyPerfectHash();
    }
    return switch (kind) {
      case SUX4J -> Sux4jPerfectHash.open(section, size);
      case PILOT -> PilotPerfectHash.open(section, size);
    };
  }

  private static PerfectHashKind kind(int id) throws CorruptSnapshotException {
    for (PerfectHashKind kind : PerfectHashKind.values()) {
      if (kind.id() == id) {
        return kind;
      }
    }
    throw new CorruptSnapshotException("unknown perfect hash kind: " + id);
  }

  static void requireLength(ByteBuffer section, long least) throws CorruptSnapshotException {
    require("length", section.capacity(), least, Integer.MAX_VALUE);
  }

  static void require(String field, long value, long least, long most)
      throws CorruptSnapshotException {
    if (value < least || value > most) {
      throw new CorruptSnapshotException(
          "perfect hash %s out of range: expected=%s actual=%d"
              .formatted(field, least == most ? least : least + ".." + most, value));
    }
  }
}
