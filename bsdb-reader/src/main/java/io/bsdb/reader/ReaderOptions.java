package io.bsdb.reader;

/**
 * How a snapshot is read. Immutable.
 *
 * @param access how blocks are reached
 * @param verification what is verified at open
 */
public record ReaderOptions(Access access, Verification verification) {

  /** Mapped, metadata verified. */
  public static ReaderOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Collects options. Not safe for several threads. */
  public static final class Builder {
    private Access access = Access.MAPPED;
    private Verification verification = Verification.METADATA;

    private Builder() {}

    public Builder access(Access value) {
      access = value;
      return this;
    }

    public Builder verification(Verification value) {
      verification = value;
      return this;
    }

    public ReaderOptions build() {
      return new ReaderOptions(access, verification);
    }
  }
}
