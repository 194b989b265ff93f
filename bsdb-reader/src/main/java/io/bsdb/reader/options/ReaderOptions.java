package io.bsdb.reader.options;

/**
 * How a snapshot is read. Immutable.
 *
 * @param access how blocks are reached
 * @param verification what is verified at open
 * @param blockCacheBytes most that the block cache may hold; 0 for no cache. Of use for compressed
 *     and for direct reads.
 * @param queueDepth reads in flight at once: the depth of an io_uring ring, or, up to 64, the
 *     threads of the pool that reads with {@link Access#DIRECT} or stands in for a ring
 * @param share of all keys that will be asked for; the partitions of others are not opened
 * @param warmUp when blocks are verified before lookups come
 * @param signatures whether they are compared before records are looked for
 */
public record ReaderOptions(
    Access access,
    Verification verification,
    long blockCacheBytes,
    int queueDepth,
    KeyShare share,
    WarmUp warmUp,
    SignatureUse signatures) {

  /**
   * Mapped, metadata verified, no cache, warmed up when versions change, signatures where they save
   * work.
   */
  public static ReaderOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the options for a version that is to take the place of one in use. */
  public ReaderOptions forSuccessor() {
    return warmUp == WarmUp.REFRESH
        ? new ReaderOptions(
            access, verification, blockCacheBytes, queueDepth, share, WarmUp.ALWAYS, signatures)
        : this;
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

    /** 1 to 4096. */
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

    public ReaderOptions build() {
      return new ReaderOptions(
          access, verification, blockCacheBytes, queueDepth, share, warmUp, signatures);
    }
  }
}
