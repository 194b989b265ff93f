package io.bsdb.format.hash;

/** How many keys share a pilot: a trade of build time for space. Lookups cost the same. */
public enum PilotDensity {
  /** About 2.6 bits per key. */
  STANDARD(3.2),
  /** About 2.35 bits per key, for about half as much build time again. */
  DENSE(3.6);

  private final double keysPerBucket;

  PilotDensity(double keysPerBucket) {
    this.keysPerBucket = keysPerBucket;
  }

  int buckets(long keys) {
    return (int) Math.ceil(keys / keysPerBucket);
  }
}
