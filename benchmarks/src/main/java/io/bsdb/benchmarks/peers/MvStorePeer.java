package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.RecordFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.ByteArrayDataType;
import org.jspecify.annotations.Nullable;

/** H2's MVStore: a B-tree in one file in Java, appended to in key order, with a cache of pages. */
public record MvStorePeer() implements Peer {
  private static final String FILE = "table.mv";
  private static final int CACHE_MEBIBYTES = 1024;
  private static final int RECORDS_PER_COMMIT = 100_000;

  @Override
  public String name() {
    return "mvstore";
  }

  @Override
  public String configuration() {
    return "H2 MVStore 2.4.240, byte arrays, appended in key order, committed every %,d records;"
            .formatted(RECORDS_PER_COMMIT)
        + " read-only, page cache of %d MiB on the heap, else defaults".formatted(CACHE_MEBIBYTES);
  }

  @Override
  public long cacheBytes() {
    return (long) CACHE_MEBIBYTES << 20;
  }

  private static MVStore.Builder store(Path directory) {
    return new MVStore.Builder().fileName(directory.resolve(FILE).toString());
  }

  private static MVMap<byte[], byte[]> map(MVStore store) {
    return store.openMap(
        "records",
        new MVMap.Builder<byte[], byte[]>()
            .keyType(ByteArrayDataType.INSTANCE)
            .valueType(ByteArrayDataType.INSTANCE));
  }

  @Override
  public void build(RecordFile records, Path directory) throws IOException {
    try (MVStore store = store(directory).autoCommitDisabled().open()) {
      MVMap<byte[], byte[]> map = map(store);
      records.forEachSorted(
          (key, value) -> {
            map.append(key, value);
            if (map.sizeAsLong() % RECORDS_PER_COMMIT == 0) {
              store.commit();
            }
          });
      store.commit();
    } catch (MVStoreException e) {
      throw new IOException(e);
    }
    try (FileChannel channel =
        FileChannel.open(directory.resolve(FILE), StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  @Override
  public Store open(RecordFile records, Path directory) throws IOException {
    try {
      MVStore store = store(directory).readOnly().cacheSize(CACHE_MEBIBYTES).open();
      return new Open(store, map(store));
    } catch (MVStoreException e) {
      throw new IOException(e);
    }
  }

  private record Open(MVStore store, MVMap<byte[], byte[]> map) implements Store {
    @Override
    public byte @Nullable [] get(byte[] key) {
      byte[] value = map.get(key);
      return value == null ? null : value.clone();
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
