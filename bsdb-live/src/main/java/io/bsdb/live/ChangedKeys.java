package io.bsdb.live;

/**
 * The number of changed keys of a version, and an estimate of how many of them are new: not in its
 * partition files.
 *
 * @param lastSegment the greatest number of a segment of the version
 * @param records in the partition files
 * @param count of changed keys
 * @param newPart the part of them that is new: what it was among those that were folded last
 */
record ChangedKeys(long lastSegment, long records, long count, double newPart) {
  /** The changed keys of a table without a version. */
  static final ChangedKeys NONE = new ChangedKeys(0, 0, 0, 0);

  /** Returns the changed keys of a later version. */
  ChangedKeys next(long nextSegment, long nextRecords, long nextCount) {
    double part = newPart;
    if (nextRecords == 0) {
      part = 1;
    } else if (nextSegment == lastSegment && nextCount < count) { // only folded since
      double added = (double) (nextRecords - records) / (count - nextCount);
      part = Math.max(0, Math.min(1, added));
    }
    return new ChangedKeys(nextSegment, nextRecords, nextCount, part);
  }

  /** Returns the estimated number of new keys. */
  long newKeys() {
    return Math.round(newPart * count);
  }
}
