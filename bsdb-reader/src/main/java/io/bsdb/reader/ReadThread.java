package io.bsdb.reader;

/**
 * A thread that completes requests, and with them the futures of callers. What they do when a
 * future completes runs in it, so it must never wait for another request.
 */
final class ReadThread extends Thread {
  private final BlockReads owner;

  ReadThread(BlockReads owner, Runnable task, String name) {
    super(task, name);
    this.owner = owner;
    setDaemon(true);
  }

  /** Whether the calling thread completes requests, whosoever. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof ReadThread;
  }

  /** Whether the calling thread completes requests of this owner. */
  static boolean isOf(BlockReads owner) {
    return Thread.currentThread() instanceof ReadThread thread && thread.owner == owner;
  }
}
