package io.bsdb.cli.table;

import io.bsdb.cli.output.Console;
import io.bsdb.format.io.IOFunction;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets this thread's work clean up after itself when the process is asked to end, for example by
 * Ctrl-C: the thread is interrupted, and the process waits until the work is closed. What takes
 * longer, or is killed, is left to 'bsdb sweep'.
 */
public final class Interruption implements Closeable {
  private static final long WAIT_SECONDS = 30;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;
  private volatile boolean requested;

  private Interruption(Thread worker) {
    hook =
        new Thread(
            () -> {
              requested = true;
              worker.interrupt();
              awaitClose();
            },
            "bsdb-interruption");
  }

  /**
   * Watches over work that this thread does. If it is interrupted, prints the version in service.
   *
   * @throws InterruptedIOException if the process is ending already
   */
  public static <T> T during(IOFunction<Interruption, T> work, Path table, Console console)
      throws IOException {
    try (Interruption interruption = new Interruption(Thread.currentThread())) {
      interruption.watch();
      try {
        return work.apply(interruption);
      } finally {
        if (interruption.requested) {
          sayInterrupted(table, console);
        }
      }
    }
  }

  private void watch() throws InterruptedIOException {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      InterruptedIOException ending = new InterruptedIOException("the process is ending");
      ending.initCause(e);
      throw ending;
    }
  }

  /**
   * Tells the user that the build was interrupted: the process ends as soon as the work has, so
   * that nothing else would.
   */
  private static void sayInterrupted(Path table, Console console) throws IOException {
    boolean interrupted = Thread.interrupted(); // else the next file would be closed
    String current = Table.at(table).currentVersion();
    console.say(
        "bsdb: interrupted; %s",
        current == null ? "no version is in service" : current + " is in service");
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitClose() {
    try {
      closed.await(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends work that does not wait for anything. */
  public void check() throws InterruptedIOException {
    if (requested) {
      throw new InterruptedIOException("interrupted");
    }
  }

  @Override
  public void close() {
    if (!requested) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException processIsEnding) {
        // the hook has been started, or is about to be
      }
    }
    closed.countDown();
  }
}
