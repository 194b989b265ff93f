package io.bsdb.live;

import io.bsdb.reader.Calls;
import io.bsdb.reader.KeyLookup;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.overlay.Overlay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in the log first, then in the version under it.
 *
 * @param calls counts lookups in flight
 */
record Lookups(TableReader base, LogIndexes.InUse logIndexes, Calls calls) implements KeyLookup {
  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    int call = calls.enter();
    try {
      LogIndexes changed = logIndexes.get();
      long found = changed.find(key);
      if (found >= 0) {
        return changed.copy(found);
      }
      return found == Overlay.DELETED ? null : base.get(key);
    } finally {
      calls.left(call);
    }
  }

  @Override
  public int get(byte[] key, ByteBuffer target) throws IOException {
    int call = calls.enter();
    try {
      LogIndexes changed = logIndexes.get();
      long found = changed.find(key);
      if (found >= 0) {
        return changed.copy(found, target);
      }
      return found == Overlay.DELETED ? NOT_FOUND : base.get(key, target);
    } finally {
      calls.left(call);
    }
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> wanted) throws IOException {
    int call = calls.enter();
    try {
      LogIndexes changed = logIndexes.get();
      byte[][] values = new byte[wanted.size()][];
      List<byte[]> unchanged = new ArrayList<>();
      int[] places = new int[wanted.size()];
      for (int i = 0; i < values.length; i++) {
        byte[] key = wanted.get(i);
        long found = changed.find(key);
        if (found >= 0) {
          values[i] = changed.copy(found);
        } else if (found == Overlay.UNCHANGED) {
          places[unchanged.size()] = i;
          unchanged.add(key);
        }
      }
      if (!unchanged.isEmpty()) {
        List<byte @Nullable []> found = base.getAll(unchanged);
        for (int i = 0; i < found.size(); i++) {
          values[places[i]] = found.get(i);
        }
      }
      return Arrays.asList(values);
    } finally {
      calls.left(call);
    }
  }
}
