package io.bsdb.reader.overlay;

import io.bsdb.format.ValueReader;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A walk through changed keys in their order or against it, beside one in the same direction
 * through the records of the base. Used by one thread.
 */
public final class ChangeWalk {
  /** Kinds of what comes next. */
  public enum Next {
    /** The base's record, which has not changed. */
    RECORD,
    /** The change, of a key that the base does not have. */
    CHANGE,
    /** The change, of the key that the base's record has. */
    CHANGE_OF_RECORD,
    /** Nothing yet: the base's record has been deleted, and both are to move on. */
    DELETED_RECORD,
    /** Nothing any more. */
    NONE
  }

  /** A record of the base. */
  public interface BaseRecord {
    /** Compares its key with another, by their unsigned bytes. */
    int compareKey(byte[] other) throws IOException;
  }

  private final SortedChanges changes;
  private final int step;
  private final int end;
  private int at;
  private byte @Nullable [] key;

  /** Walks from one index on up to another, upwards if that is not below the first. */
  ChangeWalk(SortedChanges changes, int start, int end) {
    this.changes = changes;
    this.step = end < start ? -1 : 1;
    this.at = start;
    this.end = end;
  }

  /**
   * Returns what comes next. Skips deleted keys that come before the base's record.
   *
   * @param record the next one of the base; null for none
   */
  public Next next(@Nullable BaseRecord record) throws IOException {
    while (at != end) {
      int distance = record == null ? 1 : step * Integer.signum(record.compareKey(key()));
      if (distance < 0) {
        return Next.RECORD;
      }
      if (distance == 0) {
        return changes.isDeleted(at) ? Next.DELETED_RECORD : Next.CHANGE_OF_RECORD;
      }
      if (!changes.isDeleted(at)) {
        return Next.CHANGE;
      }
      skipDeletes(record);
    }
    return record == null ? Next.NONE : Next.RECORD;
  }

  /**
   * Moves to the first key that is not deleted, or does not come before the base's record. The
   * distance doubles until it is too far, so that a run of deletes costs its logarithm.
   */
  private void skipDeletes(@Nullable BaseRecord record) throws IOException {
    int before = at; // known to be skipped
    int next = step > 0 ? changes.nextPut(at, end) : changes.previousPut(at, end);
    if (record != null) {
      for (int distance = 1; Math.abs(next - before) > distance; distance *= 2) {
        int probe = before + step * distance;
        if (step * record.compareKey(changes.key(probe)) <= 0) {
          next = probe;
        } else {
          before = probe;
        }
      }
      while (Math.abs(next - before) > 1) {
        int middle = (before + next) >> 1;
        if (step * record.compareKey(changes.key(middle)) <= 0) {
          next = middle;
        } else {
          before = middle;
        }
      }
    }
    at = next;
    key = null;
  }

  /** Returns whether a key is the current one, and has a value. */
  public boolean isPut(byte[] candidate) {
    return at != end && Arrays.equals(key(), candidate) && !changes.isDeleted(at);
  }

  /** Moves on. */
  public void advance() {
    at += step;
    key = null;
  }

  /** Returns the key of the current change; not to be changed. */
  public byte[] key() {
    byte[] current = key;
    if (current == null) {
      current = changes.key(at);
      key = current;
    }
    return current;
  }

  /** Lends the value of the current change, which is a put. */
  public <T> @Nullable T value(ValueReader<T> reader) {
    return changes.value(at, reader);
  }
}
