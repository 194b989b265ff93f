package io.bsdb.flink.follow;

import io.bsdb.reader.diff.KeySlice;
import org.apache.flink.api.connector.source.SourceSplit;
import org.jspecify.annotations.Nullable;

/**
 * A slice of the keys, and how far it has been read.
 *
 * @param number of the slice, which is that of a partition of the first version
 * @param from the version all rows of which were read, or all changes up to it; null while the
 *     first version is read
 * @param to the version that is read; null if none is
 * @param position within what is read: the number of rows of the first version, or the position of
 *     a comparison; empty at the beginning
 */
record FollowSplit(
    int number, KeySlice slice, @Nullable String from, @Nullable String to, String position)
    implements SourceSplit {
  @Override
  public String splitId() {
    return slice.toString();
  }
}
