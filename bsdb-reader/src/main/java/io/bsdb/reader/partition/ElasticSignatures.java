package io.bsdb.reader.partition;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.index.HashIndex;
import io.bsdb.format.index.Signatures;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.HugeMemory;
import io.bsdb.reader.io.PageBuffer;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.memory.MemoryBudget.Use;
import io.bsdb.reader.memory.SignatureUnit;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The signatures of a partition that is read from disk: of the bits that its file has, the lowest
 * ones are in memory, packed, so that a lookup takes one access however many there are. More are
 * read from the file past the page cache and verified, fewer are packed from memory. Lookups see
 * the one or the other.
 */
public final class ElasticSignatures implements SignatureUnit.Member, Closeable {
  private static final int STEP = 1 << 20;
  private static final int STEP_SIGNATURES = 64;
  private static final long MAX_BYTES_PER_SECOND = 200L << 20;

  private final Path path;
  private final DirectFile disk;
  private final Section section;
  private final PartChecksum checksum;
  private final HashIndex index;
  private final int count;
  private final int fileBits;
  private final MemoryBudget budget;
  private @Nullable SignatureUnit unit;
  private @Nullable HugeMemory memory;
  private @Nullable ByteBuffer packed;
  private volatile int bits;
  private volatile boolean damaged;
  private volatile boolean closed;

  /**
   * @param section of the file, which holds {@code count} signatures of {@code fileBits}
   */
  ElasticSignatures(
      Path path,
      DirectFile disk,
      Section section,
      PartChecksum checksum,
      HashIndex index,
      int count,
      int fileBits,
      MemoryBudget budget) {
    this.path = path;
    this.disk = disk;
    this.section = section;
    this.checksum = checksum;
    this.index = index;
    this.count = count;
    this.fileBits = fileBits;
    this.budget = budget;
  }

  /** Makes this a member of a unit, before lookups come. */
  public void join(SignatureUnit joined) {
    unit = joined;
    joined.add(this);
  }

  /** Returns the unit that this is a member of. */
  public SignatureUnit unit() {
    SignatureUnit joined = unit;
    if (joined == null) {
      throw new IllegalStateException("in no unit: " + path);
    }
    return joined;
  }

  @Override
  public int maxBits() {
    return damaged ? bits : fileBits;
  }

  @Override
  public int bits() {
    return bits;
  }

  @Override
  public long bytes(int wanted) {
    return wanted == 0 ? 0 : HugeMemory.resident(Signatures.length(count, wanted));
  }

  @Override
  public synchronized boolean hold(int wanted) throws IOException {
    if (closed || wanted == bits) {
      return true;
    }
    if (wanted == 0) {
      replace(0, null, null);
      return true;
    }
    if (!budget.tryTake(Use.SIGNATURES, bytes(wanted))) {
      if (wanted < bits) {
        replace(0, null, null);
      }
      return false;
    }
    HugeMemory next = null;
    try {
      int length = Math.toIntExact(Signatures.length(count, wanted));
      next = HugeMemory.allocate(length);
      ByteBuffer target = next.buffer(0, length);
      ByteBuffer present = packed;
      if (present != null && wanted < bits) {
        Signatures.pack(present, 0, bits, target, 0, wanted, count);
      } else {
        load(target, wanted);
      }
      replace(wanted, next, target);
      return true;
    } catch (IOException | RuntimeException | Error e) {
      if (next != null && next == memory) {
        throw e; // lookups see it
      }
      if (next != null) {
        next.free();
      }
      budget.giveBack(Use.SIGNATURES, bytes(wanted));
      if (closed) {
        return true;
      }
      damaged |= e instanceof CorruptSnapshotException;
      throw e;
    }
  }

  /**
   * Replaces the signatures that lookups see, and frees the old ones once the lookups in flight
   * have ended.
   */
  private void replace(int wanted, @Nullable HugeMemory next, @Nullable ByteBuffer target)
      throws IOException {
    index.replaceSignatures(
        target == null ? null : Signatures.open(target, count, wanted, path.toString()));
    HugeMemory former = memory;
    long formerBytes = bytes(bits);
    memory = next;
    packed = target;
    bits = wanted;
    if (former != null) {
      budget.elastic().retire(former::free, formerBytes); // last: there may be no memory for it
    }
  }

  /** Reads the section from disk, in steps, and keeps some bits of each signature. */
  private void load(ByteBuffer target, int wanted) throws IOException {
    CRC32C crc = checksum.begin(SectionKind.SIGNATURES.id(), section.offset());
    int perStep = STEP * Byte.SIZE / fileBits / STEP_SIGNATURES * STEP_SIGNATURES;
    PageBuffer buffer = new PageBuffer();
    long start = System.nanoTime();
    long done = 0;
    for (int first = 0; first < count; first += perStep) {
      int signatures = Math.min(perStep, count - first);
      boolean last = first + signatures == count;
      int length =
          (int) (last ? section.length() - done : (long) signatures * fileBits / Byte.SIZE);
      // With what is read beyond the last signature of this step.
      int read = last ? length : length + Long.BYTES;
      int base = disk.read(section.offset() + done, read, buffer);
      ByteBuffer bytes = buffer.buffer().limit(base + read);
      crc.update(bytes.slice(base, length));
      Signatures.pack(
          bytes,
          base,
          fileBits,
          target,
          (int) ((long) first * wanted / Byte.SIZE),
          wanted,
          signatures);
      done += length;
      budget.elastic().loaded(length);
      limitRate(start, done);
    }
    if ((int) crc.getValue() != section.checksum()) {
      throw new CorruptSnapshotException(
          "section checksum mismatch: file=%s section=%s offset=%d expected=%s actual=%s"
              .formatted(
                  path,
                  SectionKind.SIGNATURES,
                  section.offset(),
                  SnapshotFormat.hex(section.checksum()),
                  SnapshotFormat.hex((int) crc.getValue())));
    }
  }

  /** Waits as long as more was read than is allowed, and ends the load if this is closed. */
  private void limitRate(long start, long bytes) throws IOException {
    long end = start + (long) ((double) bytes / MAX_BYTES_PER_SECOND * TimeUnit.SECONDS.toNanos(1));
    for (long left = end - System.nanoTime();
        left > 0 && !closed && !Thread.currentThread().isInterrupted();
        left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    if (closed) {
      throw new IOException("closed while signatures were loaded: file=" + path);
    }
  }

  /** Ends a load in flight and frees the memory, which no lookup may read any more. */
  @Override
  public void close() {
    closed = true;
    synchronized (this) {
      index.replaceSignatures(null);
      HugeMemory last = memory;
      if (last != null) {
        last.free();
        budget.giveBack(Use.SIGNATURES, bytes(bits));
        memory = null;
        packed = null;
        bits = 0;
      }
    }
    SignatureUnit left = unit;
    if (left != null) {
      left.remove(this);
      budget.elastic().remove(left);
    }
  }
}
