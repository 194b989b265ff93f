package io.bsdb.reader.diff;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.snapshot.FileRecords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of a partition's file that have not changed since, in the order of the file. */
final class RecordKeys implements KeySource {
  private static final int BATCH = 256;

  private final SnapshotReader reader;
  private final int partition;
  private final Filter filter;
  private int first;
  private @Nullable FileRecords records;

  RecordKeys(SnapshotReader reader, int partition, Filter filter) {
    this.reader = reader;
    this.partition = partition;
    this.filter = filter;
  }

  @Override
  public void skipThrough(Place place) {
    first = Math.toIntExact(place.high() + 1);
  }

  @Override
  public @Nullable List<Candidate> next() throws IOException {
    FileRecords current = records;
    if (current == null) {
      current = new FileRecords(reader.snapshot(), partition, first);
      records = current;
    }
    List<Candidate> keys = new ArrayList<>(BATCH);
    for (int seen = 0; seen < BATCH; seen++) {
      if (!current.next()) {
        return seen == 0 ? null : keys;
      }
      byte[] key = current.key();
      if (filter.test(key, KeyHash.hash(key))) {
        keys.add(new Candidate(key, current.value(), new Place(current.number(), 0)));
      }
    }
    return keys;
  }

  @Override
  public void close() {
    FileRecords current = records;
    records = null;
    if (current != null) {
      current.close();
    }
  }
}
