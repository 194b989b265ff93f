package io.bsdb.compact;

import io.bsdb.table.manifest.History;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Segments that are kept for builds whose data was read before the segments were folded. */
final class KeptHistory {
  private KeptHistory() {}

  /**
   * Returns a history with further segments, without those that are old enough to go.
   *
   * @param folded segments with changes that no longer apply
   * @param since when the segments that stay were written
   */
  static History with(History before, List<SegmentFile> folded, Instant since, TableStorage storage)
      throws IOException {
    List<SegmentFile> all = new ArrayList<>(before.segments());
    // Those up to there are needed by no build that is accepted.
    folded.stream().filter(segment -> segment.number() > before.after()).forEach(all::add);
    all.sort(Comparator.comparingLong(SegmentFile::number));
    int gone = Math.max(0, all.size() - History.MAX_SEGMENTS);
    while (gone < all.size() && !storage.lastModified(all.get(gone).path()).isAfter(since)) {
      gone++;
    }
    return new History(
        before.line(),
        gone == 0 ? before.after() : all.get(gone - 1).number(),
        all.subList(gone, all.size()));
  }
}
