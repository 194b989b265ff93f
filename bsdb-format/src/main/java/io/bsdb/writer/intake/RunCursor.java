package io.bsdb.writer.intake;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Walks over the records of a part of a run. Used by one thread. */
public final class RunCursor {
  private final ByteBuffer data;
  private final int run;
  private final int end;
  private int start;
  private int next;
  private byte[] key = new byte[64];
  private int keyLength;

  /**
   * @param run its number; that of a run that came earlier is less
   */
  public RunCursor(ByteBuffer data, int run, int start, int end) {
    this.data = data;
    this.run = run;
    this.start = start;
    this.next = start;
    this.end = end;
  }

  /** Moves to the next record, or the first; returns false if there is none. */
  public boolean next() {
    start = next;
    if (next == end) {
      return false;
    }
    long keyNumber = SpillFiles.varint(data, start);
    long valueNumber = SpillFiles.varint(data, (int) keyNumber);
    keyLength = (int) (keyNumber >>> 32);
    if (key.length < keyLength) {
      key = new byte[keyLength];
    }
    data.get((int) valueNumber, key, 0, keyLength);
    next = (int) valueNumber + keyLength + (int) (valueNumber >>> 32);
    return true;
  }

  /** Returns whether all records have been read. */
  public boolean isAtEnd() {
    return start == end;
  }

  /** Returns where the current record starts, or where the part ends. */
  public int start() {
    return start;
  }

  public int recordLength() {
    return next - start;
  }

  int compare(byte[] other) {
    return Arrays.compareUnsigned(key, 0, keyLength, other, 0, other.length);
  }

  public boolean hasKey(byte[] bytes, int offset, int length) {
    return Arrays.equals(key, 0, keyLength, bytes, offset, offset + length);
  }

  /** Returns a copy of the current key. */
  public byte[] key() {
    return Arrays.copyOf(key, keyLength);
  }

  public int keyLength() {
    return keyLength;
  }

  /** Copies the current record. */
  public void copy(byte[] target, int offset) {
    data.get(start, target, offset, next - start);
  }

  /** Returns where the key starts within the current record. */
  public int keyInRecord() {
    long keyNumber = SpillFiles.varint(data, start);
    return (int) SpillFiles.varint(data, (int) keyNumber) - start;
  }

  /** Compares the current record with that of another run: by key, equal keys by run. */
  public int compareWith(RunCursor other) {
    int order = Arrays.compareUnsigned(key, 0, keyLength, other.key, 0, other.keyLength);
    return order != 0 ? order : Integer.compare(run, other.run);
  }
}
