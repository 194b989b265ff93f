package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.Validity;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Decides when partitions are folded and when segments are merged: by what is in the manifest and
 * by numbers of changed keys, and by nothing else. Immutable.
 *
 * <p>A fold of all partitions writes the base once and takes off the changes that there were when
 * it began. So it pays to fold late; and it pays to fold a few partitions at a time, those with the
 * most changes, whenever a part of the limit has been written: then the bytes of all segments stay
 * about as they are, where folding all at once would need room for what comes meanwhile.
 *
 * @hidden
 */
@Internal
public final class UpkeepPolicy {
  /** Segments from which on all partitions are folded: a version cannot have twice as many. */
  private static final int MANY_SEGMENTS = Changes.MAX_SEGMENTS / 2;

  /** Space besides the segments, as a multiple of the base: itself, a step, old files, the log. */
  private static final double OTHER_SPACE = 1.5;

  /** How much faster the load grows once the space for segments is used: writers wait at 1.25. */
  private static final double STEEP = 4;

  /** The space that small tables may take. */
  private static final double MIN_SPACE = 256e6;

  /** Changed keys per change below which segments are merged, since most changes are superseded. */
  private static final double SUPERSEDED = 0.5;

  /**
   * Bytes of changes below which their fraction of the table does not matter, since they are in
   * memory.
   */
  private static final long FEW_CHANGES = 1 << 20;

  /** Bytes up to which segments count as equally long. */
  private static final long SHORT_SEGMENT = 1 << 20;

  private final UpkeepSettings settings;
  private final InstantSource clock;

  /** Segments up to this number are folded, not merged, though most changes are superseded. */
  private final long folded;

  /**
   * @param clock by which rows of histories grow old
   */
  public UpkeepPolicy(UpkeepSettings settings, InstantSource clock) {
    this(settings, clock, 0);
  }

  private UpkeepPolicy(UpkeepSettings settings, InstantSource clock, long folded) {
    this.settings = settings;
    this.clock = clock;
    this.folded = folded;
  }

  /**
   * Returns the same policy, but one that folds the segments of a version though most changes are
   * superseded: the others are too large to be merged, which their number does not tell. Merges may
   * fit again once these segments are gone.
   */
  UpkeepPolicy folding(Manifest manifest) {
    return new UpkeepPolicy(settings, clock, manifest.changes().lastSegment());
  }

  /** Returns whether it merges where most changes are superseded. */
  boolean mergesSuperseded(Manifest manifest) {
    return manifest.changes().segments().stream().allMatch(each -> each.number() > folded);
  }

  /** Returns the work that is due on a version. */
  public Plan due(Manifest manifest, ChangeCounts counts) {
    Plan retention = retention(manifest, counts);
    if (!retention.isNothing()) {
      return retention;
    }
    Changes changes = manifest.changes();
    if (counts.total() >= settings.maxChangedKeys() || changes.segments().size() > MANY_SEGMENTS) {
      return fold(manifest, counts, 0);
    }
    if (isSpaceUsed(manifest)) {
      return mergesSuperseded(manifest) && isSuperseded(manifest, counts)
          ? Plan.merge(changes.segments())
          : fold(manifest, counts, 0).firstStep();
    }
    if (changes.length() >= FEW_CHANGES
        && counts.total() >= settings.changedFraction() * manifest.recordCount()) {
      return fold(manifest, counts, settings.changedFraction() / 2);
    }
    return mergeNewest(manifest);
  }

  /**
   * Returns a fold of all partitions of a history whose horizon has moved enough, so that rows go
   * that are no longer kept. The horizon moves first: after a failure the partitions that were not
   * folded keep their rows until it has moved again.
   */
  public Plan retention(Manifest manifest, ChangeCounts counts) {
    Validity validity = manifest.validity();
    Instant now = clock.instant();
    if (validity == null || !validity.isDue(now)) {
      return Plan.NOTHING;
    }
    List<PartitionFile> all = new ArrayList<>(fold(manifest, counts, 0).folding());
    manifest.partitions().stream().filter(file -> !all.contains(file)).forEach(all::add);
    return Plan.fold(all, perStep(manifest)).at(now);
  }

  private int perStep(Manifest manifest) {
    return Math.max(1, manifest.partitions().size() / settings.steps());
  }

  /**
   * Returns a fold of the partitions whose changed keys are at least a fraction of their records.
   *
   * @param fraction 0 for all partitions that have any
   */
  public Plan fold(Manifest manifest, ChangeCounts counts, double fraction) {
    int partitions = manifest.partitions().size();
    double[] density = new double[partitions];
    for (PartitionFile file : manifest.partitions()) {
      long changed = counts.in(file.partition());
      if (changed > 0 && changed >= fraction * file.recordCount()) {
        density[file.partition()] = (double) changed / (1 + file.recordCount());
      }
    }
    List<PartitionFile> folding =
        manifest.partitions().stream()
            .filter(file -> density[file.partition()] > 0)
            .sorted(Comparator.comparingDouble(file -> -density[file.partition()]))
            .toList();
    return Plan.fold(folding, perStep(manifest));
  }

  /**
   * Returns a merge of the newest segments, if there are many. From the newest one on, a segment is
   * merged if it is no longer than all newer ones together: so each change is rewritten a number of
   * times that grows with the logarithm of their bytes, and few segments are left.
   */
  public Plan mergeNewest(Manifest manifest) {
    List<SegmentFile> segments = manifest.changes().segments();
    return segments.size() > settings.maxSegments() ? Plan.merge(newest(segments)) : Plan.NOTHING;
  }

  /**
   * Returns a merge of all segments, if there are many, or of the newest if one cannot hold all.
   */
  Plan mergeAll(Manifest manifest) {
    Changes changes = manifest.changes();
    return changes.segments().size() > settings.maxSegments()
            && changes.length() <= SegmentWriter.TARGET_LENGTH
        ? Plan.merge(changes.segments())
        : mergeNewest(manifest);
  }

  private static List<SegmentFile> newest(List<SegmentFile> segments) {
    long length = 0;
    int first = segments.size();
    while (first > 0) {
      long next = segments.get(first - 1).length();
      if (length > 0
          && (next > Math.max(length, SHORT_SEGMENT)
              || length + next > SegmentWriter.TARGET_LENGTH)) {
        break;
      }
      length += next;
      first--;
    }
    return segments.subList(first, segments.size());
  }

  /**
   * Returns how near the changes of a version are to the limits of their space and of their number:
   * 1 where upkeep begins, 2 where writers should wait.
   *
   * @param newKeys number of changed keys that the partition files do not have: their space counts
   *     as that of records, since a fold does not free it
   */
  public double load(Manifest manifest, long changedKeys, long newKeys) {
    long bytes = manifest.changes().length();
    double newBytes = (double) bytes * newKeys / (1 + manifest.changes().count());
    double space = bytes / maxChangeBytes(manifest.length() + newBytes);
    return Math.max(
        (double) changedKeys / settings.maxChangedKeys(), Math.max(space, 1 + STEEP * (space - 1)));
  }

  /**
   * Returns whether the space for segments is used up, or half of it and, since the last fold, a
   * step's part.
   */
  private boolean isSpaceUsed(Manifest manifest) {
    long bytes = manifest.changes().length();
    double limit = maxChangeBytes((double) manifest.length());
    return bytes >= limit
        || (bytes >= limit / 2 && bytesAfterLastFold(manifest) >= limit / settings.steps());
  }

  /**
   * Returns the bytes of segments that leave room for a step's new files, the old ones that are
   * still open, and the log.
   */
  private double maxChangeBytes(double recordBytes) {
    double space = settings.maxSpace();
    return (space - OTHER_SPACE) * Math.max(recordBytes, MIN_SPACE / space);
  }

  private static long bytesAfterLastFold(Manifest manifest) {
    long lastFold =
        manifest.partitions().stream().mapToLong(PartitionFile::foldedThrough).max().orElse(0);
    return manifest.changes().segments().stream()
        .filter(segment -> segment.number() > lastFold)
        .mapToLong(SegmentFile::length)
        .sum();
  }

  /**
   * Returns whether most changes that still apply are superseded, and the others fit one segment.
   * Changes that have been folded into some of the partitions do not count: after a merge, these
   * partitions would be folded again.
   */
  private static boolean isSuperseded(Manifest manifest, ChangeCounts counts) {
    Changes changes = manifest.changes();
    double applying = (double) ChangeCounts.estimate(manifest).total();
    double left = changes.length() * Math.min(1, counts.total() / (1 + applying));
    return counts.total() < (long) (SUPERSEDED * applying)
        && changes.segments().size() > 1
        && left <= SegmentWriter.TARGET_LENGTH / 2;
  }
}
