package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.Records.Receiver;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A version of a table; floors and seeks are for tables in key order. */
record BsdbStore(SnapshotReader reader) implements Store {
  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    return reader.get(key);
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
    return reader.getAll(keys);
  }

  @Override
  public void floor(byte[] key, Receiver receiver) throws Exception {
    KeyValue found = reader.ordered().floor(key);
    if (found != null) {
      receiver.accept(found.key(), found.value());
    }
  }

  @Override
  public void seek(byte[] key, int count, Receiver receiver) throws Exception {
    try (RecordCursor cursor = reader.ordered().range(KeyRange.all().from(key))) {
      for (int i = 0; i < count && cursor.next(); i++) {
        receiver.accept(cursor.key(), cursor.value());
      }
    }
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
