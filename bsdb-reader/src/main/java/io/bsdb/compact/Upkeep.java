package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.format.io.IOSupplier;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Folds and merges the changes of a table in a thread of its own, whenever {@link UpkeepPolicy}
 * finds something due: at a limited rate, and again after a failure, at growing intervals. Safe for
 * many threads.
 *
 * @hidden
 */
@Internal
public final class Upkeep implements Closeable {
  /** Notices what upkeep does. Called by the thread that does it. */
  public interface Listener {
    /** A round begins; called also if nothing is due. */
    default void begins() throws IOException {}

    /**
     * A step was refused, because of what was published meanwhile.
     *
     * @param planned the version in service when the round was planned
     * @return whether to plan again, for another version that is now in service
     */
    default boolean overtaken(Manifest planned) throws IOException {
      return false;
    }

    /** A step has been published. */
    void published(Compactor.Result step) throws IOException;

    /** A round has ended or failed. */
    default void ended() {}
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final JobContext context;

  /** Opens one for each round of work. */
  private final IOSupplier<? extends Workplace> workplaces;

  private final Listener listener;
  private final Background background;
  private volatile UpkeepPolicy policy;
  private volatile boolean paused;
  private boolean closed;

  /** The version whose changed keys were counted last; guarded by the lock. */
  private @Nullable Counted counted;

  private record Counted(Manifest manifest, ChangeCounts keys) {
    /** Returns how many keys can have changed in a later version; no limit if it is not one. */
    long most(Manifest later) {
      if (!later.follows(manifest)) {
        return Long.MAX_VALUE;
      }
      long last = manifest.changes().lastSegment();
      boolean samePartitions = bounds(later).equals(bounds(manifest));
      long left =
          later.partitions().stream()
              .filter(file -> samePartitions && file.foldedThrough() < last)
              .mapToLong(file -> keys.in(file.partition()))
              .sum();
      return (samePartitions ? left : keys.total())
          + later.changes().segments().stream()
              .filter(segment -> segment.number() > last)
              .mapToLong(segment -> segment.puts() + segment.deletes())
              .sum();
    }

    private static List<Bound> bounds(Manifest manifest) {
      return manifest.partitions().stream().map(PartitionFile::lowerBound).toList();
    }
  }

  /**
   * Does nothing until {@link #wake}.
   *
   * @param thread its name
   * @param period after which it looks again without being woken
   */
  public Upkeep(
      String thread,
      Table table,
      Author author,
      UpkeepSettings settings,
      IOSupplier<? extends Workplace> workplaces,
      Listener listener,
      Duration period) {
    this.policy = new UpkeepPolicy(settings, InstantSource.system());
    this.context =
        new JobContext(
            table, author, settings.keepHistory(), new Throttle(settings.bytesPerSecond()));
    this.workplaces = workplaces;
    this.listener = listener;
    this.background = new Background(thread, this::run, period, listener::ended);
  }

  /** Does what is due, in the background. */
  public void wake() {
    background.wake();
  }

  /** Does what is due, in the calling thread. */
  public void run() throws IOException {
    listener.begins();
    boolean more = true;
    while (more && !paused) {
      more = round(this::due);
    }
  }

  /** Plans work on the version in service. */
  private interface Planner {
    Plan plan(Workplace workplace, Manifest manifest) throws IOException;
  }

  /** Plans and does some work; returns whether there was any. */
  private boolean round(Planner planner) throws IOException {
    lock.lock();
    try (Workplace workplace = workplaces.get()) {
      while (true) {
        Manifest manifest = workplace.inService();
        if (manifest == null) {
          return false;
        }
        try {
          Plan plan = planner.plan(workplace, manifest);
          carryOut(plan, workplace);
          return !plan.isNothing();
        } catch (PublishConflictException e) {
          if (!listener.overtaken(manifest)) {
            throw e;
          }
        } catch (MergeJob.TooLargeException e) {
          if (!policy.mergesSuperseded(manifest)) {
            throw e;
          }
          policy = policy.folding(manifest);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Opens the version in service only if something may be due by its manifest. */
  private Plan due(Workplace workplace, Manifest manifest) throws IOException {
    if (closed) {
      return Plan.NOTHING;
    }
    ChangeCounts most = ChangeCounts.most(manifest);
    if (counted != null) {
      most = most.atMost(counted.most(manifest));
    }
    return policy.due(manifest, most).isNothing()
        ? Plan.NOTHING
        : workplace.open(
            manifest,
            Set.of(),
            version -> {
              ChangeCounts counts = ChangeCounts.of(version);
              counted = new Counted(version.manifest(), counts);
              return policy.due(version.manifest(), counts);
            });
  }

  private void carryOut(Plan plan, Workplace workplace) throws IOException {
    new PlanRunner(context, workplace, listener::published).run(plan);
  }

  /** Folds all partitions that have changes, each once, in the calling thread. */
  public void foldAll() throws IOException {
    round(
        (workplace, manifest) -> {
          if (closed) {
            throw new IOException("the table is closed; nothing was folded");
          }
          return workplace.open(
              manifest,
              Set.of(),
              version -> policy.fold(version.manifest(), ChangeCounts.of(version), 0));
        });
  }

  /** Merges the newest segments if there are many, in the calling thread, beside folds. */
  public void merge() throws IOException {
    try (Workplace workplace = workplaces.get()) {
      Manifest manifest = workplace.inService();
      if (manifest != null) {
        carryOut(policy.mergeNewest(manifest), workplace);
      }
    }
  }

  /** Returns how near a version is to the limits, as {@link UpkeepPolicy#load}. */
  public double load(Manifest manifest, long changedKeys, long newKeys) {
    return policy.load(manifest, changedKeys, newKeys);
  }

  /** Ignores the limit of the rate, or keeps to it again. */
  public void hurry(boolean value) {
    context.throttle().unlimited(value);
  }

  /** Begins nothing, and holds up what has begun, until {@link #resume}. */
  public void pause() {
    paused = true;
    context.throttle().pause();
  }

  /** Ends a {@link #pause}. */
  public void resume() {
    paused = false;
    context.throttle().resume();
    wake();
  }

  public boolean isPaused() {
    return paused;
  }

  /** Returns why the last round failed; null if it did not. */
  public @Nullable Throwable failure() {
    return background.failure();
  }

  /** Stops what is running before it publishes, and begins nothing any more. Does not wait. */
  public void stop() {
    background.end();
    context.throttle().stop();
  }

  /** Does the same, and interrupts the thread, which may be waiting for a storage. */
  public void interrupt() {
    stop();
    background.interrupt();
  }

  /** Stops what is running, and waits for it. */
  @Override
  public void close() {
    stop();
    background.close();
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
