package io.bsdb.flink.sink;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The range of keys that a record is in. It travels behind the record's value, because what stands
 * in front of a sink's writer must give the same type of records as it takes.
 *
 * @param partition the number of the range
 * @param splitters the checksum of the keys at which all ranges begin
 */
record RangeMark(int partition, int splitters) {
  static final int LENGTH = 2 * Integer.BYTES;

  /** Returns a value with this mark behind it. */
  byte[] behind(byte[] value) {
    byte[] marked = Arrays.copyOf(value, value.length + LENGTH);
    ByteBuffer.wrap(marked).putInt(value.length, partition).putInt(marked.length - 4, splitters);
    return marked;
  }

  /** Reads the mark behind a value. */
  static RangeMark of(byte[] marked) {
    ByteBuffer bytes = ByteBuffer.wrap(marked);
    return new RangeMark(
        bytes.getInt(marked.length - LENGTH), bytes.getInt(marked.length - Integer.BYTES));
  }
}
