package io.bsdb.live.log;

import io.bsdb.format.io.IORunnable;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.FrameBuffer;
import io.bsdb.live.OutcomeUnknownException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes the changes of many threads together. Each thread encodes its changes into the group that
 * is being filled. A thread that finds no leader becomes the leader: it writes that group while
 * others fill the next one, then wakes the threads whose changes were in it. The last thread that
 * joined the next group leads next.
 *
 * <p>A group holds the changes that came while the group before it was written, and, where a write
 * takes longer than to wake all writers, those of the writers that were woken then: for them its
 * leader waits, for half as long as the last write took at most. Otherwise each of two halves of
 * the writers would wait for the write of the other.
 */
public final class GroupCommit implements Closeable {
  /** Maximum length of a group: beyond it writers wait instead of using more memory. */
  private static final int MAX_GROUP_LENGTH = 1 << 20;

  /** Time in which a writer that is woken joins the next group, if it has more changes. */
  private static final long WAKE_NANOS = 6_000;

  /** How long a leader waits at most. */
  private static final long MAX_PATIENCE_NANOS = 1_000_000_000;

  /** Number of groups that are not waited for after a leader has waited in vain. */
  private static final int IMPATIENT_GROUPS = 4;

  /** Writes groups, one at a time. */
  public interface Sink {
    /** Writes a group; returns when all of it counts. */
    void write(Group group) throws IOException;

    /** Fails if nothing can be written any more. */
    void requireUsable() throws IOException;
  }

  /** Changes that are written together. */
  public static final class Group {
    private final FrameBuffer frame;

    /** The thread that joined last, linked to those before it. */
    private @Nullable Waiter waiters;

    private boolean force;

    /** Number of threads that joined; changes under the lock. */
    private volatile int members;

    /** Whether a thread waits for the next group as its changes have no room in this one. */
    private volatile boolean full;

    private Group(IntFunction<ByteBuffer> allocator) {
      frame = new FrameBuffer(allocator);
    }

    FrameBuffer frame() {
      return frame;
    }

    /** Returns whether it is to be on disk afterwards, whatever the durability. */
    boolean force() {
      return force;
    }

    /** Makes this an empty group; returns those who waited. Allocates nothing, so never fails. */
    private @Nullable Waiter clear() {
      Waiter last = waiters;
      waiters = null;
      frame.clear();
      force = false;
      members = 0;
      full = false;
      return last;
    }
  }

  /** A thread whose changes are in a group. */
  private static final class Waiter {
    private final Thread thread = Thread.currentThread();

    /** The thread that joined the same group before. */
    private @Nullable Waiter before;

    private @Nullable Throwable failure;
    private volatile boolean leads;
    private volatile boolean done;

    /** Waits until the group is written, or this thread has to write it. */
    void await() {
      boolean interrupted = false;
      while (!done && !leads) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        thread.interrupt();
      }
    }
  }

  private final Sink sink;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private Group filling;
  private Group spare;

  /** One that is left as it was if there is no memory for another element. */
  private final Queue<Waiter> exclusive = new ConcurrentLinkedQueue<>();

  private boolean led;
  private boolean closed;

  /** Number of members at which a group is written at once. */
  private volatile int expected;

  /** The leader that waits for members; null: none does. */
  private volatile @Nullable Thread waiting;

  /** How long the next leader waits, and how many groups still go without; for leaders only. */
  private long patienceNanos;

  private int impatientGroups;

  public GroupCommit(Sink sink) {
    this(sink, ByteBuffer::allocateDirect);
  }

  /**
   * @param allocator makes a buffer of a capacity in bytes
   */
  GroupCommit(Sink sink, IntFunction<ByteBuffer> allocator) {
    this.sink = sink;
    this.filling = new Group(allocator);
    this.spare = new Group(allocator);
  }

  /** Writes one change. */
  public void add(ChangeKind kind, byte[] key, byte[] value) throws IOException {
    int length = FrameBuffer.roomFor(key.length, value.length);
    submit(length, group -> group.frame.add(kind, key, value));
  }

  /** Writes changes together. */
  public void addAll(FrameBuffer records) throws IOException {
    submit(records.length(), group -> group.frame.addAll(records));
  }

  /** Forces to disk what was written before. */
  public void force() throws IOException {
    submit(0, group -> group.force = true);
  }

  /**
   * Runs an action in the calling thread if no group is being written now: never waits for a thread
   * that writes one.
   */
  void tryExclusively(IORunnable action) throws IOException {
    lock.lock();
    try {
      if (led || closed) {
        return;
      }
      led = true;
    } finally {
      lock.unlock();
    }
    try {
      action.run();
    } finally {
      passOn(spare);
    }
  }

  /** Runs an action between two groups, in the calling thread. */
  public void exclusively(IORunnable action) throws IOException {
    Waiter waiter = null;
    lock.lock();
    try {
      requireOpen();
      if (led) {
        waiter = new Waiter();
        exclusive.add(waiter);
      }
      led = true;
    } finally {
      lock.unlock();
    }
    if (waiter != null) {
      waiter.await();
    }
    try {
      action.run();
    } finally {
      passOn(spare);
    }
  }

  private void submit(int length, Consumer<Group> addition) throws IOException {
    Waiter waiter = null;
    lock.lock();
    try {
      requireOpen();
      while (filling.frame.records() > 0 && filling.frame.length() + length > MAX_GROUP_LENGTH) {
        filling.full = true;
        LockSupport.unpark(waiting);
        room.awaitUninterruptibly();
        requireOpen();
      }
      waiter = led ? new Waiter() : null; // first: what has been added is written
      addition.accept(filling);
      int members = filling.members + 1;
      filling.members = members;
      if (members >= expected) {
        LockSupport.unpark(waiting);
      }
      if (waiter != null) {
        waiter.before = filling.waiters;
        filling.waiters = waiter;
      }
      led = true;
    } finally {
      lock.unlock();
    }
    Throwable failure;
    if (waiter == null) {
      failure = lead();
    } else {
      waiter.await();
      failure = waiter.leads ? lead() : waiter.failure;
    }
    if (failure != null) {
      throw failed(failure);
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the table is closed; nothing was written");
    }
    sink.requireUsable();
  }

  /** Each thread gets an exception of its own. */
  private static IOException failed(Throwable failure) {
    return failure instanceof OutcomeUnknownException
        ? new OutcomeUnknownException(String.valueOf(failure.getMessage()), failure)
        : new IOException(failure.getMessage(), failure);
  }

  /** Writes the group that is being filled; returns why that failed. */
  private @Nullable Throwable lead() {
    Group group;
    awaitMembers();
    lockToLead();
    try {
      group = filling;
      filling = spare;
      room.signalAll();
    } finally {
      lock.unlock();
    }
    Throwable failure = null;
    long start = System.nanoTime();
    try {
      sink.write(group);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    long nanos = System.nanoTime() - start;
    int writers = group.members + filling.members;
    boolean slow = writers * WAKE_NANOS < nanos;
    expected = slow ? writers : 0;
    patienceNanos = Math.min(nanos / 2, MAX_PATIENCE_NANOS);
    Waiter last = group.clear();
    if (slow) {
      wake(last, failure); // so that they can join the next group, rather than the one after it
      passOn(group);
    } else {
      passOn(group);
      wake(last, failure);
    }
    return failure;
  }

  /** Waits, in a thread that leads, until the group that is being filled has its members. */
  private void awaitMembers() {
    if (impatientGroups > 0) {
      impatientGroups--;
      return;
    }
    waiting = Thread.currentThread();
    long deadline = System.nanoTime() + patienceNanos;
    while (filling.members < expected && !filling.full) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        impatientGroups = IMPATIENT_GROUPS;
        break;
      }
      LockSupport.parkNanos(this, left);
    }
    waiting = null;
  }

  private static void wake(@Nullable Waiter last, @Nullable Throwable failure) {
    for (Waiter waiter = last; waiter != null; waiter = waiter.before) {
      waiter.failure = failure;
      waiter.done = true;
      LockSupport.unpark(waiter.thread);
    }
  }

  /**
   * Takes the lock in a thread that leads, which must not end before it has passed that on. To wait
   * for a lock takes memory, to try does not.
   */
  private void lockToLead() {
    try {
      lock.lock();
    } catch (OutOfMemoryError e) {
      while (!lock.tryLock()) {
        Thread.onSpinWait();
      }
    }
  }

  private void passOn(Group empty) {
    Waiter next = null;
    lockToLead();
    try {
      spare = empty;
      next = exclusive.poll();
      if (next == null && filling.waiters != null) {
        next = filling.waiters;
        filling.waiters = next.before;
      }
      if (next == null) {
        led = false;
        room.signalAll();
      }
    } finally {
      lock.unlock();
    }
    if (next != null) {
      next.leads = true;
      LockSupport.unpark(next.thread);
    }
  }

  /** Takes no more changes, and waits until those taken before are written. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      room.signalAll();
      while (led) {
        room.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}
