package io.bsdb.live;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.Calls;
import io.bsdb.reader.HashedKeys;
import io.bsdb.reader.KeyLookup;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.overlay.Overlay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in the log first, then in the version under it. A key is hashed once and a lookup
 * counted once for all of it.
 *
 * @param calls counts lookups in flight; those of the version are not counted there
 */
record Lookups(TableReader base, LogIndexes.InUse logIndexes, Calls calls) implements KeyLookup {
  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    return find(key, null);
  }

  @Override
  public int get(byte[] key, ByteBuffer target) throws IOException {
    int start = target.position();
    return find(key, target) == null ? NOT_FOUND : target.position() - start;
  }

  /** Finds a value and copies it, as {@link SnapshotReader#find} does. */
  private byte @Nullable [] find(byte[] key, @Nullable ByteBuffer target) throws IOException {
    int call = calls.enter();
    try {
      HashValue128 hash = KeyHash.hash(key);
      LogIndexes changed = logIndexes.get(); // before the version, which gets what leaves the log
      long found = changed.find(key, hash.getMostSignificantBits());
      if (found != Overlay.UNCHANGED) {
        return found < 0 ? null : changed.copy(found, target);
      }
      SnapshotReader version = base.unleased();
      return version == null ? null : version.find(key, hash, target);
    } finally {
      calls.left(call);
    }
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> wanted) throws IOException {
    HashedKeys keys = new HashedKeys(wanted);
    int call = calls.enter();
    try {
      LogIndexes changed = logIndexes.get();
      for (int i = 0; i < keys.size(); i++) {
        long found = changed.find(keys.key(i), keys.high(i));
        if (found != Overlay.UNCHANGED) {
          keys.answer(i, found < 0 ? null : changed.copy(found, null));
        }
      }
      SnapshotReader version = base.unleased();
      if (version != null) {
        version.findAll(keys);
      }
      return keys.values();
    } finally {
      calls.left(call);
    }
  }
}
