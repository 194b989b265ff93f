package io.bsdb.flink.sink.change;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.jspecify.annotations.Nullable;

/**
 * A change of a key on its way from the encoder to the writers. Nobody modifies the arrays.
 *
 * <p>Changes are in no checkpoint: barriers do not overtake them, and what has come to a writer is
 * in a segment, which a checkpoint names.
 *
 * @param key encoded
 * @param value encoded; null if the key is deleted
 * @param range of keys that this one is in; null unless the table is built in key order
 */
@SuppressWarnings("ArrayRecordComponent") // changes are not compared
public record Change(byte[] key, byte @Nullable [] value, @Nullable Range range) {
  /** The type of streams of changes. */
  public static final TypeInformation<Change> TYPE = new ChangeType();

  /**
   * A range of keys.
   *
   * @param partition its number
   * @param splitters the checksum of the keys at which all ranges begin
   */
  public record Range(int partition, int splitters) {}

  public static Change put(byte[] key, byte[] value) {
    return new Change(key, value, null);
  }

  public static Change delete(byte[] key) {
    return new Change(key, null, null);
  }

  /** Returns the same change in a range of keys. */
  public Change in(Range newRange) {
    return new Change(key, value, newRange);
  }

  /** Returns the value of a change that deletes nothing. */
  public byte[] requireValue() {
    if (value == null) {
      throw new IllegalStateException("a key is deleted in a build, which has only rows");
    }
    return value;
  }

  /** Returns the range of a change that was given one. */
  public Range requireRange() {
    if (range == null) {
      throw new IllegalStateException("a change came to a writer without its range of keys");
    }
    return range;
  }
}
