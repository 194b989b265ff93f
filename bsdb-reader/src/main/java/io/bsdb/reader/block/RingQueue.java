package io.bsdb.reader.block;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.Block;
import io.bsdb.format.io.Uninterrupted;
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
 * burst is finished. When the reactor waits with few reads in flight, a caller wakes it through an
 * eventfd that the ring watches too; with many, the next completion comes soon enough by itself.
 */
final class RingQueue implements BlockQueue {
  private static final Logger LOG = LoggerFactory.getLogger(RingQueue.class);
  private static final String UNREGISTERED =
      "IO_URING without registered buffers; raise the limit on locked memory (ulimit -l)";
  private static final int WAITING_PER_DEPTH = 8;
  private static final int AWAKE = -1;

  /** Buffers per read in flight. */
  private static final int SLOTS_PER_DEPTH = 2;

  /** A part of the depth: if so many reads complete at once, the next are submitted first. */
  private static final int BURST = 8;

  private static final AtomicInteger NAMED = new AtomicInteger();

  private final DiskBlocks blocks;
  private final Uring ring;
  private final int depth;

  /** By partition number: the place among the registered files. */
  private final int[] fileIndex;

  private final int slotLength;
  private final Slot[] slots;
  private final long[] addresses;
  private final boolean registered;
  private final @Nullable BlockRequest[] requests;
  private final @Nullable PageBuffer[] longBuffers;
  private final int[] freeSlots;
  private final int[] completedSlots;
  private final int[] results;
  private final PageBuffer.Pool buffers = new PageBuffer.Pool();
  private final Queue<BlockRequest> queue = new ConcurrentLinkedQueue<>();
  private final Semaphore room;
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger waitingFor = new AtomicInteger(AWAKE);
  private final Thread reactor;
  private final Uring.Completions completions = this::completed;
  private int freeCount;
  private int inFlight;
  private int completedCount;
  private volatile boolean closing;

  /** Why nothing more is read; null while it is. */
  private volatile @Nullable Throwable ended;

  private RingQueue(DiskBlocks blocks, Uring ring) throws IOException {
    this.blocks = blocks;
    this.ring = ring;
    this.depth = blocks.depth();
    this.room = new Semaphore(WAITING_PER_DEPTH * depth);
    List<BlockFile> files = blocks.files();
    ring.registerFiles(files.stream().map(BlockFile::path).toArray(Path[]::new));
    fileIndex = new int[1 + files.stream().mapToInt(BlockFile::number).max().orElse(0)];
    for (int i = 0; i < files.size(); i++) {
      fileIndex[files.get(i).number()] = i;
    }
    slotLength = slotLength(files);
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
    slots = new Slot[count];
    addresses = new long[count];
    freeSlots = new int[count];
    completedSlots = new int[depth];
    results = new int[depth];
    requests = new @Nullable BlockRequest[count];
    longBuffers = new @Nullable PageBuffer[count];
    long start = Uring.address(memory);
    for (int i = 0; i < count; i++) {
      slots[i] = new Slot(memory.slice(i * slotLength, slotLength).order(ByteOrder.LITTLE_ENDIAN));
      addresses[i] = start + (long) i * slotLength;
      freeSlots[freeCount++] = i;
    }
    reactor = new ReadThread(this::run, "bsdb-uring-" + NAMED.incrementAndGet());
  }

  /** The buffer of a read of usual length. */
  private static final class Slot extends Block {
    private final ByteBuffer bytes;

    /** Offset of the block in the pages that were read. */
    private int lead;

    Slot(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    @Override
    public ByteBuffer bytes() {
      return bytes;
    }

    @Override
    public int base(int number) {
      return lead;
    }
  }

  private static int slotLength(List<BlockFile> files) {
    int longest = SnapshotFormat.PAGE;
    for (BlockFile file : files) {
      int aligned = DirectFile.span(0, file.properties().blockSize());
      int straddling = file.properties().alignment() == 1 ? SnapshotFormat.PAGE : 0;
      longest = Math.max(longest, aligned + straddling);
    }
    return longest;
  }

  /**
   * Reads through a ring, or where there is none through threads; then one logged line gives the
   * reason.
   */
  static BlockQueue openOrFallBack(DiskBlocks blocks) {
    Uring ring = null;
    try {
      ring = Uring.open(blocks.depth());
      RingQueue queue = new RingQueue(blocks, ring);
      queue.reactor.start();
      return queue;
    } catch (IOException | LinkageError | OutOfMemoryError e) {
      if (ring != null) {
        ring.close();
      }
      LOG.warn(
          "io_uring is not available, reading with a pool of threads instead: {}", e.getMessage());
      return new PoolQueue(blocks, "DIRECT instead of IO_URING: " + e.getMessage());
    }
  }

  @Override
  public void add(BlockRequest request) {
    if (!ReadThread.isCurrent()) {
      room.acquireUninterruptibly();
      request.holdsRoom = true;
    }
    accepted.incrementAndGet();
    try {
      queue.add(request);
    } catch (OutOfMemoryError e) {
      leave(request);
      throw e;
    }
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

  private void leave(BlockRequest request) {
    accepted.decrementAndGet();
    if (request.holdsRoom) {
      room.release();
    }
  }

  private void run() {
    Throwable failure = null;
    Throwable cause;
    try {
      while (!closing || inFlight > 0) {
        startQueued();
        waitingFor.set(inFlight);
        if (closing && inFlight == 0) {
          break;
        }
        // When closing nothing more is started, but what was put into the ring has to be submitted.
        if (closing || inFlight == depth || queue.isEmpty()) {
          ring.submitAndWait();
        }
        waitingFor.set(AWAKE);
        completedCount = 0;
        ring.drain(completions);
        if (completedCount > depth / BURST && !queue.isEmpty()) {
          startQueued();
          ring.submit();
        }
        for (int i = 0; i < completedCount; i++) {
          finish(completedSlots[i], results[i]);
        }
      }
      cause = blocks.closedException();
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      cause = e;
    }
    ended = cause;
    for (BlockRequest request = queue.poll(); request != null; request = queue.poll()) {
      leave(request);
      request.failed(cause);
    }
    for (BlockRequest request : requests) {
      if (request != null) {
        leave(request);
        request.failed(cause);
      }
    }
    if (failure != null) {
      LOG.error("the io_uring reactor has failed; this reader reads no more", failure);
    }
  }

  private void startQueued() {
    while (inFlight < depth && !closing) {
      BlockRequest next = queue.poll();
      if (next == null) {
        return;
      }
      start(next);
    }
  }

  private void completed(long id, int result) {
    inFlight--;
    completedSlots[completedCount] = (int) id;
    results[completedCount++] = result;
  }

  private void start(BlockRequest request) {
    int slot = freeSlots[freeCount - 1];
    try {
      long offset = request.file.offset(request.number);
      long page = offset & -SnapshotFormat.PAGE;
      int span = DirectFile.span(offset, request.file.length(request.number));
      int file = fileIndex[request.file.number()];
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
      inFlight++;
      requests[slot] = request;
    } catch (IOException | RuntimeException | Error e) { // no memory for a long block, say
      longBuffers[slot] = null;
      leave(request);
      request.failed(e);
    }
  }

  private void finish(int slot, int result) {
    BlockRequest request = Objects.requireNonNull(requests[slot]);
    PageBuffer buffer = longBuffers[slot];
    try {
      long offset = request.file.offset(request.number);
      int lead = (int) (offset & (SnapshotFormat.PAGE - 1));
      if (result >= lead + request.file.length(request.number)) {
        blocks.counters().read(result, System.nanoTime() - request.created);
        Block block;
        if (buffer == null) {
          slots[slot].lead = lead;
          block = slots[slot];
        } else {
          buffer.startsAt(lead);
          block = buffer;
        }
        request.file.verify(block.bytes(), lead, request.number);
        request.complete(block);
      } else {
        // Short or failed: done again in the plain way, which finishes it or reports what is wrong.
        request.completeFrom(blocks);
      }
    } catch (IOException | RuntimeException | Error e) {
      request.failed(e);
    } finally {
      requests[slot] = null;
      longBuffers[slot] = null;
      freeSlots[freeCount++] = slot;
      leave(request);
    }
  }

  @Override
  public long inFlight() {
    return accepted.get();
  }

  @Override
  public String description() {
    return registered ? blocks.accessName() : UNREGISTERED;
  }

  @Override
  public void close() {
    closing = true;
    ring.wake();
    Uninterrupted.join(reactor);
    ring.close();
  }
}
