package io.bsdb.testkit;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Runs tasks in threads whose stack is as large as a test asks for. */
public final class StackThread {
  /** A stack that a recursion fills soon. */
  public static final int LITTLE = 256 << 10;

  private StackThread() {}

  /**
   * Starts a thread. It keeps no process that could end without it, though it waits for ever.
   *
   * @param bytes of its stack; 0 for as many as other threads have
   */
  public static <T> FutureTask<T> start(int bytes, Callable<T> task) {
    FutureTask<T> result = new FutureTask<>(task);
    Thread thread = new Thread(null, result, "test", bytes);
    thread.setDaemon(true);
    thread.start();
    return result;
  }
}
