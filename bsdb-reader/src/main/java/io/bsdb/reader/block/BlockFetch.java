package io.bsdb.reader.block;

import io.bsdb.format.block.Block;
import java.io.IOException;

/** Fetches blocks in the calling thread. */
public interface BlockFetch {
  /**
   * Fetches a block now and verifies it.
   *
   * @return the block, to be released
   * @throws io.bsdb.format.CorruptSnapshotException if it is damaged
   */
  Block fetch(BlockFile file, int number) throws IOException;
}
