package io.bsdb.reader.block;

import io.bsdb.format.block.Block;
import java.io.IOException;

/** Blocks of files in memory, mapped or copied; verified when they are first fetched. */
public final class MemoryBlocks implements BlockSource {
  private final String description;

  /**
   * @param description of the access mode
   */
  public MemoryBlocks(String description) {
    this.description = description;
  }

  @Override
  public Block fetch(BlockFile file, int number) throws IOException {
    if (!file.isVerified(number)) {
      file.verifyInMemory(number, number + 1);
    }
    return file.chunk(number);
  }

  @Override
  public void fetch(BlockRequest request) {
    request.completeFrom(this);
  }

  @Override
  public Batching batching() {
    return Batching.IN_PLACE;
  }

  @Override
  public long inFlight() {
    return 0;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public void close() {}
}
