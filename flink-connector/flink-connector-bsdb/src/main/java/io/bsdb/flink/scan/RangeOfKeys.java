package io.bsdb.flink.scan;

import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.KeyRange;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Cuts a range of keys by the partitions of a version in key order. */
record RangeOfKeys(Extent.RowsOfRange range, Partitioning partitioning) {
  /** Returns the range that is to be read of a version; null if that is not one of its keys. */
  static @Nullable RangeOfKeys of(ScanSpec spec, Manifest manifest) {
    return spec.extent() instanceof Extent.RowsOfRange range
            && manifest.order() == RecordOrder.KEY
            && SnapshotMapping.hasDeclaredKeys(spec.table(), manifest)
        ? new RangeOfKeys(range, manifest.partitioning())
        : null;
  }

  /** Returns whether a partition may have keys of the range. */
  boolean overlaps(int partition) {
    return partition >= partitioning.partition(range.first()) && beginsBeforeEnd(partition);
  }

  private boolean beginsBeforeEnd(int partition) {
    byte[] bound = partitioning.lowerBound(partition);
    byte[] last = range.last();
    int length = Math.min(bound.length, last.length);
    return Arrays.compareUnsigned(bound, 0, length, last, 0, last.length) <= 0;
  }

  /** Returns the part of the range that is in a partition, which overlaps it. */
  KeyRange within(int partition) {
    byte[] bound = partitioning.lowerBound(partition);
    boolean cut = Arrays.compareUnsigned(bound, range.first()) > 0;
    KeyRange keys = KeyRange.all().from(cut ? bound : range.first()).throughPrefix(range.last());
    int next = partition + 1;
    return next < partitioning.count() && beginsBeforeEnd(next)
        ? keys.before(partitioning.lowerBound(next))
        : keys;
  }
}
