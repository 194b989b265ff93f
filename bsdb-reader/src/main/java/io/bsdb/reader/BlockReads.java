package io.bsdb.reader;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads blocks from disk in the background. Safe for many threads. */
interface BlockReads extends Closeable {
  /** A block that somebody wants. One of the methods is called, once. */
  abstract class Request {
    final Partition partition;
    final int block;
    final long created = System.nanoTime();

    /** Whether the request counts against the room in the queue. */
    boolean holdsRoom;

    Request(Partition partition, int block) {
      this.partition = partition;
      this.block = block;
    }

    /**
     * The block is there, verified.
     *
     * @param buffer lent until the return
     * @param base where the block starts in it
     */
    abstract void completed(ByteBuffer buffer, int base) throws IOException;

    /** The block could not be read, or {@link #completed} threw. */
    abstract void failed(Throwable cause);

    /** Verifies the block and passes it on. */
    final void accept(ByteBuffer buffer, int base) {
      try {
        partition.verify(buffer, base, block);
        completed(buffer, base);
      } catch (Throwable e) {
        failed(e);
      }
    }
  }

  /**
   * Queues a read; waits while the queue is full, but not in a read thread. After {@link #close}
   * the request fails.
   */
  void read(Request request);

  /**
   * Whether the calling thread is one that completes requests: it must never wait for others to be
   * completed.
   */
  boolean isReadThread();

  /** Reads queued or under way. */
  long inFlight();

  /** What reads, for people. */
  String description();

  /** Fails what is waiting; returns when nothing is under way. Not from a read thread. */
  @Override
  void close();
}
