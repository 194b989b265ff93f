package io.bsdb.live;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.LentBytes.ReaderFailure;
import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.io.Thrown;
import io.bsdb.reader.KeyLookup;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.reader.snapshot.HashedKeys;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in the log first, then in the version under it. A key is hashed once and a lookup
 * counted once for all of it.
 *
 * @param calls counts lookups in flight; those of the version are not counted there
 */
record Lookups(TableReader base, LogIndexes.InUse logIndexes, Calls calls) implements KeyLookup {
  @Override
  public <T> @Nullable T get(byte[] key, ValueReader<T> reader) throws IOException {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(reader, "reader");
    int call = calls.enter();
    try {
      HashValue128 hash = KeyHash.hash(key);
      LogIndexes changed = logIndexes.get(); // before the version, which gets what leaves the log
      long found = changed.find(key, hash.getMostSignificantBits());
      if (found != Overlay.UNCHANGED) {
        return found < 0 ? null : changed.read(found, 0, reader);
      }
      SnapshotReader version = base.unleased();
      return version == null ? null : version.find(key, hash, reader);
    } catch (ReaderFailure e) {
      throw Thrown.asIs(e.thrown());
    } finally {
      try {
        calls.end(call, Calls.LEFT);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }

  @Override
  public <T> List<@Nullable T> getAll(List<byte[]> wanted, ValueReader<T> reader)
      throws IOException {
    HashedKeys<T> keys = new HashedKeys<>(wanted, reader);
    int call = calls.enter();
    try {
      LogIndexes changed = logIndexes.get();
      for (int i = 0; i < keys.size(); i++) {
        long found = changed.find(keys.key(i), keys.high(i));
        if (found >= 0) {
          keys.answer(i, changed.read(found, i, reader));
        } else if (found == Overlay.DELETED) {
          keys.answerAbsent(i);
        }
      }
      SnapshotReader version = base.unleased();
      if (version != null) {
        version.findAll(keys);
      }
      return keys.answers();
    } catch (ReaderFailure e) {
      throw Thrown.asIs(e.thrown());
    } finally {
      try {
        calls.end(call, Calls.LEFT);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }
}
