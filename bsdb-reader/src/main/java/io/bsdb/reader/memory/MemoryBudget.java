package io.bsdb.reader.memory;

import io.bsdb.format.Internal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The memory that readers may hold, for any number of readers: copies of indexes and signatures
 * with access from disk, copies of whole files with {@code RESIDENT}, and block caches. Mapped
 * files do not count, as the page cache gives them back by itself; the index of changes over a base
 * does.
 *
 * <p>What a lookup cannot do without is claimed before a version is opened. A version that does not
 * fit is refused with a {@link MemoryBudgetExceededException}, and the one in use stays. Signatures
 * and block caches get what is left, where they save most reads. Safe for many threads.
 */
public final class MemoryBudget {
  /** System property with the limit of {@link #ofProcess}, such as {@code 4g}. */
  public static final String PROPERTY = "bsdb.memory";

  private static final Duration ADJUSTMENT_INTERVAL = Duration.ofSeconds(10);
  private static final long UNLIMITED = Long.MAX_VALUE;
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})([kmgt]?)");
  private static final List<String> UNITS = List.of("", "k", "m", "g", "t");
  private static @Nullable MemoryBudget ofProcess;

  private final long limit;
  private final ElasticMemory elastic;
  private final AtomicLong refusals = new AtomicLong();

  private final Map<Use, Long> used = new EnumMap<>(Use.class);

  /**
   * Purpose of memory.
   *
   * @hidden
   */
  @Internal
  public enum Use {
    /** What lookups cannot do without. */
    INDEX,
    SIGNATURES,
    CACHE
  }

  private MemoryBudget(long limit, Duration interval) {
    this.limit = limit;
    this.elastic = new ElasticMemory(this, interval);
  }

  /**
   * Creates a budget.
   *
   * @param bytes the limit, above 0
   */
  public static MemoryBudget of(long bytes) {
    return of(bytes, ADJUSTMENT_INTERVAL);
  }

  /**
   * Creates a budget.
   *
   * @param interval between adjustments; zero for only when {@link ElasticMemory#adjust} is called
   * @hidden
   */
  @Internal
  public static MemoryBudget of(long bytes, Duration interval) {
    if (bytes < 1) {
      throw new IllegalArgumentException("memory budget in bytes: expected>=1 actual=" + bytes);
    }
    return new MemoryBudget(bytes, interval);
  }

  /**
   * Creates a budget from a size, such as {@code 512m} or {@code 4g}.
   *
   * @throws IllegalArgumentException if it is no size
   */
  public static MemoryBudget parse(String size) {
    Matcher matcher = SIZE.matcher(size.strip().toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      int shift = 10 * UNITS.indexOf(matcher.group(2));
      long number = Long.parseLong(matcher.group(1));
      if (number <= Long.MAX_VALUE >> shift) {
        return of(number << shift);
      }
    }
    throw new IllegalArgumentException(
        "memory budget: expected a size such as 512m or 4g, actual '%s'".formatted(size));
  }

  /** Creates a budget without a limit: it counts what readers hold. */
  public static MemoryBudget unlimited() {
    return new MemoryBudget(UNLIMITED, Duration.ZERO);
  }

  /**
   * Returns the budget of readers that are given no other, which system property {@value #PROPERTY}
   * limits. There is one for each loader of this class.
   *
   * @throws IllegalArgumentException if the property is no size
   */
  public static synchronized MemoryBudget ofProcess() {
    MemoryBudget budget = ofProcess;
    if (budget == null) {
      String size = System.getProperty(PROPERTY);
      budget = size == null ? unlimited() : parse(size);
      ofProcess = budget;
    }
    return budget;
  }

  /** Returns whether there is a limit. */
  public boolean isLimited() {
    return limit != UNLIMITED;
  }

  /** Returns the limit in bytes; {@link Long#MAX_VALUE} for none. */
  public long limitBytes() {
    return limit;
  }

  /** Returns the bytes that lookups cannot do without. */
  public long indexBytes() {
    return used(Use.INDEX);
  }

  /** Returns the bytes of signatures that could be given back. */
  public long signatureBytes() {
    return used(Use.SIGNATURES);
  }

  /** Returns the bytes that block caches may take now. */
  public long cacheBytes() {
    return used(Use.CACHE);
  }

  /** Returns how many versions were refused, as they would have exceeded the limit. */
  public long refusals() {
    return refusals.get();
  }

  /** Returns how many times bits were moved between signatures. */
  public long signatureAdjustments() {
    return elastic.adjustments();
  }

  /** Returns the bytes of signatures that were read from disk. */
  public long signatureBytesLoaded() {
    return elastic.bytesLoaded();
  }

  /** Returns how many times signatures could not be read from disk. */
  public long failedSignatureLoads() {
    return elastic.failedLoads();
  }

  /**
   * Returns the memory of this budget that can be given back.
   *
   * @hidden
   */
  @Internal
  public ElasticMemory elastic() {
    return elastic;
  }

  synchronized long used(Use use) {
    return used.getOrDefault(use, 0L);
  }

  /** Returns what is used of the limit. */
  public synchronized long usedBytes() {
    long sum = 0;
    for (long each : used.values()) {
      sum += each;
    }
    return sum;
  }

  /**
   * Counts memory that is about to be taken, if it is within the limit.
   *
   * @hidden
   */
  @Internal
  public synchronized boolean tryTake(Use use, long bytes) {
    if (bytes > limit - usedBytes()) {
      return false;
    }
    used.merge(use, bytes, Long::sum);
    return true;
  }

  /**
   * Counts memory that was given back.
   *
   * @hidden
   */
  @Internal
  public synchronized void giveBack(Use use, long bytes) {
    used.merge(use, -bytes, Long::sum);
  }

  /**
   * Claims memory that lookups cannot do without. Signatures and caches make room for it.
   *
   * @param what is to be opened, for the message
   * @param remedy that saves this memory, for the message
   * @throws MemoryBudgetExceededException if it does not fit
   * @hidden
   */
  @Internal
  public Claim claim(long bytes, String what, String remedy) throws MemoryBudgetExceededException {
    if (!tryTake(Use.INDEX, bytes) && !elastic.makeRoom(bytes)) {
      refusals.incrementAndGet();
      throw new MemoryBudgetExceededException(
          "memory budget exceeded: %s needs=%s of %s, in use=%s; raise bsdb.memory, or %s"
              .formatted(what, text(bytes), text(limit), text(usedBytes()), remedy));
    }
    return new Claim(bytes);
  }

  /**
   * Memory that counts until this is closed.
   *
   * @hidden
   */
  @Internal
  public final class Claim implements AutoCloseable {
    private long bytes;

    private Claim(long bytes) {
      this.bytes = bytes;
    }

    /** Moves a part to a claim of its own. */
    public synchronized Claim split(long part) {
      if (part > bytes) {
        throw new IllegalArgumentException(
            "part of claimed memory: expected<=%d actual=%d".formatted(bytes, part));
      }
      bytes -= part;
      return new Claim(part);
    }

    /** Gives back what is above so many bytes. */
    public synchronized void shrinkTo(long most) {
      split(Math.max(0, bytes - most)).close();
    }

    /** Ends the claim. Idempotent. */
    @Override
    public synchronized void close() {
      giveBack(Use.INDEX, bytes);
      bytes = 0;
    }
  }

  /** Returns a size for people. */
  static String text(long bytes) {
    return bytes < 1 << 20
        ? bytes + " bytes"
        : bytes < 1 << 30
            ? String.format(Locale.ROOT, "%.1f MB", bytes / (double) (1 << 20))
            : String.format(Locale.ROOT, "%.1f GB", bytes / (double) (1 << 30));
  }
}
