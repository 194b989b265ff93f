package io.bsdb.benchmarks.peers;

import com.oath.halodb.HaloDB;
import com.oath.halodb.HaloDBException;
import com.oath.halodb.HaloDBOptions;
import io.bsdb.live.Durability;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * HaloDB with the options of its own benchmark, but files of 64 MiB instead of 1 GiB, as there is
 * less in them. Puts return before they are on disk.
 */
public final class HaloDbStore implements WritableStore {
  private static final int MAX_FILE_BYTES = 64 << 20;
  private static final int FLUSH_BYTES = 10 << 20;
  private static final double COMPACTION_THRESHOLD = 0.5;

  @Override
  public Store open(Path directory, Durability durability, int records) throws HaloDBException {
    if (durability == Durability.COMMIT) {
      throw new IllegalArgumentException("HaloDB has no durable puts");
    }
    HaloDBOptions options = new HaloDBOptions();
    options.setMaxFileSize(MAX_FILE_BYTES);
    options.setCompactionThresholdPerFile(COMPACTION_THRESHOLD);
    options.setFlushDataSizeBytes(FLUSH_BYTES);
    options.setNumberOfRecords(2 * records);
    options.setCompactionJobRate((int) COMPACTION_RATE);
    options.setUseMemoryPool(true);
    options.setFixedKeySize(Long.BYTES);
    return new Open(HaloDB.open(directory.toFile(), options));
  }

  private record Open(HaloDB db) implements Store {
    @Override
    public void put(byte[] key, byte[] value) throws HaloDBException {
      db.put(key, value);
    }

    @Override
    public byte @Nullable [] get(byte[] key) throws HaloDBException {
      return db.get(key);
    }

    @Override
    public void close() throws IOException {
      try {
        db.close();
      } catch (HaloDBException e) {
        throw new IOException(e);
      }
    }
  }
}
