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
 * <p>Callers put requests in a queue. The reactor moves as many as have a free slot into the ring,
 * submits them together with its wait for at least one completion, and finishes what has completed:
 * one system call moves many reads. When it waits with few reads under way, a caller wakes it
 * through an eventfd that the ring watches too; with many, the next completion comes soon enough by
 * itself.
 */
final class UringReads implements BlockReads {
  private static final Logger LOG = LoggerFactory.getLogger(UringReads.class);
  private static final String UNREGISTERED =
      "IO_URING without registered buffers; raise the limit on locked memory (ulimit -l)";
  private static final int WAITING_PER_DEPTH = 8;
  private static final int AWAKE = -1;
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
  private final DiskRecords fallback;
  private final PageBuffer.Pool buffers = new PageBuffer.Pool();
  private final Queue<Request> queue = new ConcurrentLinkedQueue<>();
  private final Semaphore room;
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger waitingFor = new AtomicInteger(AWAKE);
  private final Thread reactor;
  private int freeCount;
  private volatile boolean closing;
  private volatile boolean ended;

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
    ByteBuffer memory =
        ByteBuffer.allocateDirect(depth * slotLength + SnapshotFormat.PAGE)
            .alignedSlice(SnapshotFormat.PAGE);
    int errno = ring.registerBuffer(memory);
    registered = errno == 0;
    if (!registered) {
      LOG.info("{} (errno {}): reads cost a little more", UNREGISTERED, errno);
    }
    slots = new ByteBuffer[depth];
    addresses = new long[depth];
    freeSlots = new int[depth];
    requests = new @Nullable Request[depth];
    longBuffers = new @Nullable PageBuffer[depth];
    long start = Uring.address(memory);
    for (int i = 0; i < depth; i++) {
      slots[i] = memory.slice(i * slotLength, slotLength).order(ByteOrder.LITTLE_ENDIAN);
      addresses[i] = start + (long) i * slotLength;
      freeSlots[freeCount++] = i;
    }
    reactor = new Thread(this::run, "bsdb-uring-" + NAMED.incrementAndGet());
    reactor.setDaemon(true);
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
    if (ended) {
      leave(request);
      request.failed(snapshot.calls().closedException());
      return;
    }
    queue.add(request);
    int underWay = waitingFor.get();
    if (underWay != AWAKE && underWay <= depth / 4 && waitingFor.compareAndSet(underWay, AWAKE)) {
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
    return Thread.currentThread() == reactor;
  }

  private void run() {
    Throwable failure = null;
    try {
      while (!closing || freeCount < depth) {
        for (Request next = nextToStart(); next != null; next = nextToStart()) {
          start(next);
        }
        waitingFor.set(depth - freeCount);
        if (closing && freeCount == depth) {
          break;
        }
        // When closing nothing more is started, but what was put into the ring has to be submitted.
        if (closing || freeCount == 0 || queue.isEmpty()) {
          ring.submitAndWait();
        }
        waitingFor.set(AWAKE);
        ring.drain(this::finish);
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      LOG.error("the io_uring reactor has failed; this reader reads no more", e);
    }
    ended = true;
    Throwable cause = failure == null ? snapshot.calls().closedException() : failure;
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

  private @Nullable Request nextToStart() {
    return freeCount == 0 || closing ? null : queue.poll();
  }

  private void start(Request request) {
    try {
      Partition partition = request.partition;
      long offset = partition.offset(request.block);
      long page = offset & -SnapshotFormat.PAGE;
      int span = DirectFile.span(offset, partition.length(request.block));
      int file = fileIndex[partition.number()];
      int slot = freeSlots[freeCount - 1];
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
      requests[slot] = request;
    } catch (IOException | RuntimeException e) {
      leave(request);
      request.failed(e);
    }
  }

  private void finish(long id, int result) {
    int slot = (int) id;
    Request request = java.util.Objects.requireNonNull(requests[slot]);
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
    } catch (IOException | RuntimeException e) {
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
    // A caller may have passed its look at "ended" just before it was set.
    for (Request request = queue.poll(); request != null; request = queue.poll()) {
      leave(request);
      request.failed(snapshot.calls().closedException());
    }
    ring.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
