package io.bsdb.reader;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.PageBuffer;
import io.bsdb.reader.io.Uring;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads through one io_uring ring with one reactor thread.
 *
 * <p>Callers put requests in a queue. The reactor moves them into the ring, up to its depth, and
 * submits them together with its wait for at least one completion: one system call moves many
 * reads. Disks complete many at once, too. There are twice as many buffers as the ring is deep, so
 * that after such a burst the next reads are submitted first, and the disk is at them while the
 * burst is finished. When the reactor waits with few reads under way, a caller wakes it through an
 * eventfd that the ring watches too; with many, the next completion comes soon enough by itself.
 */
final class UringReads implements BlockReads {
  private static final Logger LOG = LoggerFactory.getLogger(UringReads.class);
  private static final String UNREGISTERED =
      "IO_URING without registered buffers; raise the limit on locked memory (ulimit -l)";
  private static final int WAITING_PER_DEPTH = 8;
  private static final int AWAKE = -1;

  /** Buffers per read under way. */
  private static final int SLOTS_PER_DEPTH = 2;

  /** A part of the depth: if so many reads complete at once, the next are submitted first. */
  private static final int BURST = 8;

  private static final AtomicInteger NAMED = new AtomicInteger();

  private final OpenSnapshot snapshot;
  private final Uring ring;
  private final int depth;

  /** By partition number: the place among the registered files. */
  private final int[] fileIndex;

  private final int slotLength;
  private final ByteBuffer[] slots;
  private final long[] addresses;
  private final boolean registered;
  private final @Nullable Request[] requests;
  private final @Nullable PageBuffer[] longBuffers;
  private final int[] freeSlots;
  private final int[] completedSlots;
  private final int[] results;
  private final DiskRecords fallback;
  private final PageBuffer.Pool buffers = new PageBuffer.Pool();
  private final Queue<Request> queue = new ConcurrentLinkedQueue<>();
  private final Semaphore room;
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger waitingFor = new AtomicInteger(AWAKE);
  private final Thread reactor;
  private int freeCount;
  private int underWay;
  private int completedCount;
  private volatile boolean closing;

  /** Why nothing more is read; null while it is. */
  private volatile @Nullable Throwable ended;

  private UringReads(OpenSnapshot snapshot, Uring ring) throws IOException {
    this.snapshot = snapshot;
    this.ring = ring;
    this.depth = snapshot.options().queueDepth();
    this.fallback = new DiskRecords(snapshot.counters());
    this.room = new Semaphore(WAITING_PER_DEPTH * depth);
    List<Partition> partitions = snapshot.partitions();
    ring.registerFiles(partitions.stream().map(Partition::path).toArray(Path[]::new));
    fileIndex = new int[snapshot.manifest().partitions().size()];
    for (int i = 0; i < partitions.size(); i++) {
      fileIndex[partitions.get(i).number()] = i;
    }
    slotLength = slotLength(partitions);
    int count = SLOTS_PER_DEPTH * depth;
    long length = (long) count * slotLength;
    if (length > Integer.MAX_VALUE - SnapshotFormat.PAGE) {
      throw new IOException(
          "buffers of %d bytes are too large for a ring; use a lower queue depth"
              .formatted(length));
    }
    ByteBuffer memory =
        ByteBuffer.allocateDirect((int) length + SnapshotFormat.PAGE)
            .alignedSlice(SnapshotFormat.PAGE);
    int errno = ring.registerBuffer(memory);
    registered = errno == 0;
    if (!registered) {
      LOG.info("{} (errno {}): reads cost a little more", UNREGISTERED, errno);
    }
    slots = new ByteBuffer[count];
    addresses = new long[count];
    freeSlots = new int[count];
    completedSlots = new int[depth];
    results = new int[depth];
    requests = new @Nullable Request[count];
    longBuffers = new @Nullable PageBuffer[count];
    long start = Uring.address(memory);
    for (int i = 0; i < count; i++) {
      slots[i] = memory.slice(i * slotLength, slotLength).order(ByteOrder.LITTLE_ENDIAN);
      addresses[i] = start + (long) i * slotLength;
      freeSlots[freeCount++] = i;
    }
    reactor = new ReadThread(this, this::run, "bsdb-uring-" + NAMED.incrementAndGet());
  }

  private static int slotLength(List<Partition> partitions) {
    int longest = SnapshotFormat.PAGE;
    for (Partition partition : partitions) {
      int aligned = DirectFile.span(0, partition.properties().blockSize());
      int straddling = partition.properties().alignment() == 1 ? SnapshotFormat.PAGE : 0;
      longest = Math.max(longest, aligned + straddling);
    }
    return longest;
  }

  /**
   * Reads through a ring, or where there is none through threads; then one logged line says why.
   */
  static BlockReads openOrFallBack(OpenSnapshot snapshot) {
    Uring ring = null;
    try {
      ring = Uring.open(snapshot.options().queueDepth());
      UringReads reads = new UringReads(snapshot, ring);
      reads.reactor.start();
      return reads;
    } catch (IOException | LinkageError | OutOfMemoryError e) {
      if (ring != null) {
        ring.close();
      }
      LOG.warn(
          "io_uring is not available, reading with a pool of threads instead: {}", e.getMessage());
      return new PooledReads(snapshot, "DIRECT instead of IO_URING: " + e.getMessage());
    }
  }

  @Override
  public void read(Request request) {
    if (!isReadThread()) {
      room.acquireUninterruptibly();
      request.holdsRoom = true;
    }
    accepted.incrementAndGet();
    queue.add(request);
    Throwable why = ended;
    if (why != null) {
      // Whatever was added before the end is failed by the reactor; this only if it is still here.
      if (queue.remove(request)) {
        leave(request);
        request.failed(why);
      }
      return;
    }
    int waiting = waitingFor.get();
    if (waiting != AWAKE && waiting <= depth / 4 && waitingFor.compareAndSet(waiting, AWAKE)) {
      ring.wake();
    }
  }

  private void leave(Request request) {
    accepted.decrementAndGet();
    if (request.holdsRoom) {
      room.release();
    }
  }

  @Override
  public boolean isReadThread() {
    return ReadThread.isOf(this);
  }

  private void run() {
    Throwable failure = null;
    try {
      while (!closing || underWay > 0) {
        startQueued();
        waitingFor.set(underWay);
        if (closing && underWay == 0) {
          break;
        }
        // When closing nothing more is started, but what was put into the ring has to be submitted.
        if (closing || underWay == depth || queue.isEmpty()) {
          ring.submitAndWait();
        }
        waitingFor.set(AWAKE);
        completedCount = 0;
        ring.drain(this::completed);
        if (completedCount > depth / BURST && !queue.isEmpty()) {
          startQueued();
          ring.submit();
        }
        for (int i = 0; i < completedCount; i++) {
          finish(completedSlots[i], results[i]);
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      LOG.error("the io_uring reactor has failed; this reader reads no more", e);
    }
    Throwable cause = failure == null ? snapshot.calls().closedException() : failure;
    ended = cause;
    for (Request request = queue.poll(); request != null; request = queue.poll()) {
      leave(request);
      request.failed(cause);
    }
    for (Request request : requests) {
      if (request != null) {
        leave(request);
        request.failed(cause);
      }
    }
  }

  private void startQueued() {
    while (underWay < depth && !closing) {
      Request next = queue.poll();
      if (next == null) {
        return;
      }
      start(next);
    }
  }

  private void completed(long id, int result) {
    underWay--;
    completedSlots[completedCount] = (int) id;
    results[completedCount++] = result;
  }

  private void start(Request request) {
    int slot = freeSlots[freeCount - 1];
    try {
      Partition partition = request.partition;
      long offset = partition.offset(request.block);
      long page = offset & -SnapshotFormat.PAGE;
      int span = DirectFile.span(offset, partition.length(request.block));
      int file = fileIndex[partition.number()];
      if (span <= slotLength) {
        if (registered) {
          ring.readFixed(file, page, addresses[slot], span, slot);
        } else {
          ring.read(file, page, addresses[slot], span, slot);
        }
      } else {
        PageBuffer buffer = buffers.take();
        longBuffers[slot] = buffer;
        ring.read(file, page, Uring.address(buffer.ofLength(span)), span, slot);
      }
      freeCount--;
      underWay++;
      requests[slot] = request;
    } catch (IOException | RuntimeException | Error e) { // no memory for a long block, say
      longBuffers[slot] = null;
      leave(request);
      request.failed(e);
    }
  }

  private void finish(int slot, int result) {
    Request request = Objects.requireNonNull(requests[slot]);
    PageBuffer buffer = longBuffers[slot];
    try {
      Partition partition = request.partition;
      long offset = partition.offset(request.block);
      int lead = (int) (offset & (SnapshotFormat.PAGE - 1));
      if (result >= lead + partition.length(request.block)) {
        snapshot.counters().read(result, System.nanoTime() - request.created);
        request.accept(buffer == null ? slots[slot] : buffer.buffer(), lead);
      } else {
        readAgain(request);
      }
    } catch (IOException | RuntimeException | Error e) {
      request.failed(e);
    } finally {
      requests[slot] = null;
      longBuffers[slot] = null;
      if (buffer != null) {
        buffers.give(buffer);
      }
      freeSlots[freeCount++] = slot;
      leave(request);
    }
  }

  /**
   * A short or failed read is done again in the plain way, which finishes it or says what is wrong.
   */
  private void readAgain(Request request) throws IOException {
    PageBuffer buffer = buffers.take();
    try {
      int base = fallback.read(request.partition, request.block, buffer);
      request.completed(buffer.buffer(), base);
    } finally {
      buffers.give(buffer);
    }
  }

  @Override
  public long inFlight() {
    return accepted.get();
  }

  @Override
  public String description() {
    return registered ? Access.IO_URING.name() : UNREGISTERED;
  }

  @Override
  public void close() {
    closing = true;
    ring.wake();
    boolean interrupted = false;
    while (reactor.isAlive()) {
      try {
        reactor.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    ring.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
