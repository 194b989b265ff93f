package io.bsdb.sql;

import io.bsdb.format.io.Thrown;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** Batches that a thread of its own produces, in order. Used by one thread, which closes it. */
final class Batches implements AutoCloseable {
  private static final int QUEUED = 4;
  private static final Batch END = new Batch(0, 0);

  private final BlockingQueue<Batch> queue = new ArrayBlockingQueue<>(QUEUED);
  private final Statement statement;
  private final FutureTask<Void> task;
  private final Thread thread;

  /** Takes batches; waits while too many are not taken yet. */
  @FunctionalInterface
  interface Target {
    void put(Batch batch) throws InterruptedException;
  }

  /** Makes batches. */
  @FunctionalInterface
  interface Producer {
    void produce(Target target) throws IOException, InterruptedException;
  }

  private Batches(Producer producer, Statement statement) {
    this.statement = statement;
    this.task =
        new FutureTask<>(
            () -> {
              try {
                producer.produce(queue::put);
              } finally {
                queue.put(END);
              }
              return null;
            });
    this.thread = new Thread(task, "bsdb-sql");
    thread.setDaemon(true);
  }

  /**
   * Begins to produce.
   *
   * @param statement that the producer runs; cancelled if the rest of it is not needed
   */
  static Batches produce(Producer producer, Statement statement) {
    Batches batches = new Batches(producer, statement);
    batches.thread.start();
    return batches;
  }

  /**
   * Returns the next batch; null after the last.
   *
   * @throws IOException what the producer threw
   */
  @Nullable Batch next() throws IOException {
    try {
      Batch batch = queue.take();
      if (batch != END) {
        return batch;
      }
      task.get();
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the query ran");
    } catch (ExecutionException e) {
      throw Thrown.asIs(Objects.requireNonNullElse(e.getCause(), e));
    }
  }

  /** Cancels the statement if its rest is not needed, and waits until the producer has ended. */
  @Override
  public void close() throws SQLException {
    boolean interrupted = false;
    while (thread.isAlive()) {
      if (!task.isDone()) { // not every driver can cancel, which must not fail what has succeeded
        statement.cancel();
        thread.interrupt();
      }
      try {
        thread.join(100);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
