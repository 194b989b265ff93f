package io.bsdb.http.exchange;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Facts of a request that has been answered. Written by one thread at a time. */
public final class Access {
  /** Kinds of requests that are counted apart. */
  public enum Kind {
    PAGE,
    ROW,
    LOOKUP,
    TABLE,
    OTHER;

    private final String label = name().toLowerCase(Locale.ROOT);

    public String label() {
      return label;
    }
  }

  public final long startNanos;

  public Kind kind = Kind.OTHER;

  public @Nullable String version;
  public byte @Nullable [] key;
  public int status;
  public int keys;
  public int found;
  public long bytes;

  public Access(long startNanos) {
    this.startNanos = startNanos;
  }
}
