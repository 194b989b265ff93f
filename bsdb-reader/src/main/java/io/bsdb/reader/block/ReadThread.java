package io.bsdb.reader.block;

/**
 * A thread that completes requests, and with them the futures of callers. What they do when a
 * future completes runs in it, so it must never wait for another request.
 */
final class ReadThread extends Thread {
  private final BlockQueue owner;

  ReadThread(BlockQueue owner, Runnable task, String name) {
    super(task, name);
    this.owner = owner;
    setDaemon(true);
  }

  /** Returns whether the calling thread completes requests of any queue. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof ReadThread;
  }

  /** Returns whether the calling thread completes requests of this owner. */
  static boolean isOf(BlockQueue owner) {
    return Thread.currentThread() instanceof ReadThread thread && thread.owner == owner;
  }
}
