package io.bsdb.reader.options;

import io.bsdb.reader.memory.MemoryBudget;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Options of readers. Immutable.
 *
 * @param access how blocks are reached
 * @param verification what is verified at open
 * @param blockCacheBytes maximum size of the block cache; 0 for no cache. Useful for compressed and
 *     for direct reads.
 * @param queueDepth reads in flight at once: the depth of an io_uring ring, or, up to 64, the
 *     threads of the pool that reads with {@link Access#DIRECT} or stands in for a ring
 * @param share of all keys that will be asked for; the partitions of others are not opened
 * @param warmUp when blocks are verified before lookups come
 * @param signatures whether they are compared before records are looked for
 * @param memory that this reader and others may hold; one object, which has no text
 */
public record ReaderOptions(
    Access access,
    Verification verification,
    long blockCacheBytes,
    int queueDepth,
    KeyShare share,
    WarmUp warmUp,
    SignatureUse signatures,
    MemoryBudget memory) {

  /**
   * Returns the defaults: mapped, metadata verified, no cache, warmed up when versions change,
   * signatures where they save work.
   */
  public static ReaderOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns all options but the memory as text, by the names that {@link Builder#set} takes. */
  public Map<String, String> toMap() {
    return Map.of(
        "access", text(access),
        "verification", text(verification),
        "block-cache-size", Long.toString(blockCacheBytes),
        "queue-depth", Integer.toString(queueDepth),
        "share", share.toString(),
        "warm-up", text(warmUp),
        "signatures", text(signatures));
  }

  /**
   * Reads what {@link #toMap} writes; what is left out has its default.
   *
   * @throws IllegalArgumentException naming the option that is unknown or has a wrong value
   */
  public static ReaderOptions parse(Map<String, String> options) {
    Builder builder = builder();
    options.forEach(builder::set);
    return builder.build();
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String text) {
    for (E value : type.getEnumConstants()) {
      if (text(value).equals(text)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        Arrays.stream(type.getEnumConstants())
            .map(ReaderOptions::text)
            .collect(Collectors.joining(", ", "expected one of ", "")));
  }

  /** Returns the options for a version that is to take the place of one in use. */
  public ReaderOptions forSuccessor() {
    return warmUp == WarmUp.REFRESH ? withWarmUp(WarmUp.ALWAYS) : this;
  }

  /** Returns the same options with another time of warming up. */
  public ReaderOptions withWarmUp(WarmUp value) {
    return new ReaderOptions(
        access, verification, blockCacheBytes, queueDepth, share, value, signatures, memory);
  }

  /** Collects options; each setter checks its argument. Not safe for several threads. */
  public static final class Builder {
    private Access access = Access.MAPPED;
    private Verification verification = Verification.METADATA;
    private long blockCacheBytes;
    private int queueDepth = 128;
    private KeyShare share = KeyShare.ALL;
    private WarmUp warmUp = WarmUp.REFRESH;
    private SignatureUse signatures = SignatureUse.AUTO;
    private @Nullable MemoryBudget memory;

    private Builder() {}

    public Builder access(Access value) {
      access = value;
      return this;
    }

    public Builder verification(Verification value) {
      verification = value;
      return this;
    }

    public Builder blockCacheBytes(long value) {
      if (value < 0) {
        throw new IllegalArgumentException("block cache bytes: expected>=0 actual=" + value);
      }
      blockCacheBytes = value;
      return this;
    }

    /** Sets the maximum number of reads in flight, 1 to 4096. */
    public Builder queueDepth(int value) {
      if (value < 1 || value > 4096) {
        throw new IllegalArgumentException("queue depth: expected 1 to 4096, actual " + value);
      }
      queueDepth = value;
      return this;
    }

    /**
     * Opens only the partitions that hold keys of this share. To ask for a key of another partition
     * is an {@link IllegalArgumentException}.
     */
    public Builder share(KeyShare value) {
      share = value;
      return this;
    }

    public Builder warmUp(WarmUp value) {
      warmUp = value;
      return this;
    }

    public Builder signatures(SignatureUse value) {
      signatures = value;
      return this;
    }

    /**
     * Sets the memory that this reader may hold together with all others that are given the same
     * budget. Default: that of the process, see {@link MemoryBudget#ofProcess}.
     */
    public Builder memory(MemoryBudget value) {
      memory = value;
      return this;
    }

    /**
     * Sets an option by its name. Sizes are in bytes.
     *
     * @throws IllegalArgumentException naming the option, if it is unknown or the value is wrong
     */
    public Builder set(String name, String value) {
      try {
        return switch (name) {
          case "access" -> access(constant(Access.class, value));
          case "verification" -> verification(constant(Verification.class, value));
          case "block-cache-size" -> blockCacheBytes(Long.parseLong(value));
          case "queue-depth" -> queueDepth(Integer.parseInt(value));
          case "share" -> share(KeyShare.parse(value));
          case "warm-up" -> warmUp(constant(WarmUp.class, value));
          case "signatures" -> signatures(constant(SignatureUse.class, value));
          default ->
              throw new IllegalArgumentException(
                  "there is no such option; there are "
                      + new TreeSet<>(defaults().toMap().keySet()));
        };
      } catch (IllegalArgumentException e) {
        String problem = e instanceof NumberFormatException ? "expected a number" : e.getMessage();
        throw new IllegalArgumentException(
            "option of a reader '%s'='%s': %s".formatted(name, value, problem), e);
      }
    }

    public ReaderOptions build() {
      MemoryBudget budget = memory == null ? MemoryBudget.ofProcess() : memory;
      return new ReaderOptions(
          access, verification, blockCacheBytes, queueDepth, share, warmUp, signatures, budget);
    }
  }
}
