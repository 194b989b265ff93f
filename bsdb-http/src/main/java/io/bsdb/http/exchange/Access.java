package io.bsdb.http.exchange;

import org.jspecify.annotations.Nullable;

/** Facts of a request that has been answered. Written by one thread at a time. */
public final class Access {
  public final long startNanos;

  /** As what the metrics count the request. */
  public String kind = "other";

  public @Nullable String table;
  public @Nullable String version;
  public byte @Nullable [] key;
  public Problem.@Nullable Kind problem;
  public int status;
  public int keys;
  public int found;
  public long bytes;

  public Access(long startNanos) {
    this.startNanos = startNanos;
  }
}
