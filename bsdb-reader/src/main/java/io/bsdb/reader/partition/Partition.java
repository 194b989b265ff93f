package io.bsdb.reader.partition;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.block.DecoderPools;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.memory.SignatureUnit;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One open partition: the index that finds keys, and the file that holds the blocks. Shared by
 * successive versions that have the same file. Safe for many threads; nobody may use it after its
 * last {@link #close}.
 */
public final class Partition implements Closeable {
  private final KeyIndex index;
  private final @Nullable OrderIndex order;
  private final BlockFile blocks;
  private final @Nullable ElasticSignatures signatures;
  private final DecoderPools pools;
  private MemoryBudget.@Nullable Claim claim;
  private int users = 1;

  /**
   * @param index finds the records of keys
   * @param order finds where keys stand in their order; null in hash order, and without records
   * @param blocks where the blocks lie
   * @param signatures those with as many bits in memory as fit a budget; null if there are none, or
   *     if all are there
   * @param pools of the decoders of records
   */
  Partition(
      KeyIndex index,
      @Nullable OrderIndex order,
      BlockFile blocks,
      @Nullable ElasticSignatures signatures,
      DecoderPools pools) {
    this.index = index;
    this.order = order;
    this.blocks = blocks;
    this.signatures = signatures;
    this.pools = pools;
    pools.share();
  }

  public KeyIndex index() {
    return index;
  }

  public @Nullable OrderIndex order() {
    return order;
  }

  public BlockFile blocks() {
    return blocks;
  }

  public @Nullable ElasticSignatures signatures() {
    return signatures;
  }

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

  /** Returns how many bits of each signature are in memory. */
  public int signatureBits() {
    return index.signatureBits();
  }

  /** Returns the unit that its signatures are in; null if they are not elastic. */
  public @Nullable SignatureUnit unit() {
    ElasticSignatures elastic = signatures;
    return elastic == null ? null : elastic.unit();
  }

  /** Takes over the claim of the memory that this holds. */
  public synchronized void own(MemoryBudget.Claim claimed) {
    claim = claimed;
  }

  /** Adds a user, who closes it, too; returns false if it is closed already. */
  public synchronized boolean share() {
    if (users == 0) {
      return false;
    }
    users++;
    return true;
  }

  /** Ends one use; the last one closes everything. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      users--;
      if (users > 0) {
        return;
      }
    }
    if (signatures != null) {
      signatures.close(); // before the file that it reads
    }
    try {
      blocks.close();
    } finally {
      pools.close();
      MemoryBudget.Claim claimed = claim;
      if (claimed != null) {
        claimed.close();
      }
    }
  }
}
