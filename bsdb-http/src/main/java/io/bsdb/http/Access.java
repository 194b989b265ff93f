package io.bsdb.http;

import org.jspecify.annotations.Nullable;

/** Facts of a request that has been answered. Written by one thread at a time. */
final class Access {
  final long startNanos;

  /** As what the metrics count the request. */
  String kind = "other";

  @Nullable String table;
  @Nullable String version;
  byte @Nullable [] key;
  Problem.@Nullable Kind problem;
  int status;
  int keys;
  int found;
  long bytes;

  Access(long startNanos) {
    this.startNanos = startNanos;
  }
}
