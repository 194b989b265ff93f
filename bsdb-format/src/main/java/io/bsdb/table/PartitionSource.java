package io.bsdb.table;

import io.bsdb.format.Internal;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The records of a partition, each key once, read where they lie while the partition is built: by
 * any thread, once. A build of partitions that exist already.
 *
 * @hidden
 */
@Internal
public interface PartitionSource {
  /** Returns the number of the partition. */
  int partition();

  /** Returns how many records there are at most. */
  long maxRecords();

  /** Returns about how many bytes keys and values have, wherever they lie. */
  long bytes();

  /** Returns about how many of these are copied to the heap. */
  long copiedBytes();

  /** Returns false once nobody wants the partition any more, so that it need not be built. */
  boolean isWanted();

  /** Hands out all records. */
  void read(Target target) throws IOException;

  /**
   * Checks, when the partition has been built, that all lent bytes could be read.
   *
   * @param failure of the build, as the JVM reports that mapped memory is gone; null if it has
   *     succeeded
   * @throws IOException if they could not
   */
  void requireReadable(@Nullable InternalError failure) throws IOException;

  /** Limits the rate of reading. Called by any thread. */
  interface Progress {
    /** Waits until so many further bytes may be read. */
    void pass(int bytes) throws IOException;

    /** Returns whether no further bytes will be let pass. */
    default boolean isStopped() {
      return false;
    }
  }

  /** Takes records with the two words of their keys' hashes. */
  interface Target {
    /**
     * Adds a record that stays where it is until the partition is built, its value after its key.
     */
    void lend(ByteBuffer bytes, int keyOffset, int keyLength, int valueLength, long high, long low);

    /** Adds a copy of a record. */
    void copy(byte[] key, byte[] value, long high, long low);
  }
}
