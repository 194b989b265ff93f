package io.bsdb.reader.partition;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.reader.block.BlockFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One open partition: the index that finds keys, and the file that holds the blocks. Safe for many
 * threads; nobody may use it after {@link #close}.
 *
 * @param index finds the records of keys
 * @param order finds where keys stand in their order; null in hash order, and without records
 * @param blocks where the blocks lie
 */
public record Partition(KeyIndex index, @Nullable OrderIndex order, BlockFile blocks)
    implements Closeable {
  /** Returns which partition of its snapshot this is. */
  public int number() {
    return blocks.number();
  }

  public Path path() {
    return blocks.path();
  }

  /** Returns how many records it holds. */
  public int recordCount() {
    return blocks.properties().recordCount();
  }

  /** Returns whether records hold their keys. */
  public boolean storesKeys() {
    return blocks.properties().keyStorage() == KeyStorage.STORED;
  }

  @Override
  public void close() throws IOException {
    blocks.close();
  }
}
