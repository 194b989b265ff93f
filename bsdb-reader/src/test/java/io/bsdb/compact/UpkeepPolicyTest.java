package io.bsdb.compact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.History;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Sixteen partitions of a million records and 100 MB each. */
class UpkeepPolicyTest {
  private static final int PARTITIONS = 16;
  private static final int RECORDS = 1_000_000;
  private static final long PARTITION_LENGTH = 100_000_000;
  private static final long BASE = PARTITIONS * PARTITION_LENGTH;

  /** Bytes of segments that are too many: 2.5 times the base, without 1.5 for everything else. */
  private static final long LIMIT = BASE;

  private static final double NEVER = Double.POSITIVE_INFINITY;
  private final List<SegmentFile> segments = new ArrayList<>();
  private final long[] foldedThrough = new long[PARTITIONS];
  private final long[] counts = new long[PARTITIONS];

  private static UpkeepSettings settings(double maxSpace, double fraction, long maxChangedKeys) {
    return new UpkeepSettings(maxSpace, fraction, maxChangedKeys, 64, Duration.ZERO, 1, 8);
  }

  /** The defaults of a writable table. */
  private static final UpkeepSettings WRITABLE = settings(2.5, NEVER, 16_000_000);

  private void segment(long length, long changes) {
    long number = segments.size() + 1L;
    segments.add(new SegmentFile(number, new UUID(1, number), length, 0, 0, -1, changes, 0));
  }

  private void changed(long... keys) {
    System.arraycopy(keys, 0, counts, 0, keys.length);
  }

  private void changedEverywhere(long keys) {
    Arrays.fill(counts, keys);
  }

  private Manifest manifest() {
    List<PartitionFile> files =
        IntStream.range(0, PARTITIONS)
            .mapToObj(
                i ->
                    new PartitionFile(
                        "p" + i,
                        new UUID(0, i),
                        PARTITION_LENGTH,
                        0,
                        RECORDS,
                        1,
                        1,
                        new PartitionFile.Place(i, null, foldedThrough[i], Bound.NONE)))
            .toList();
    UUID id = new UUID(2, 2);
    return new Manifest(
        new Manifest.Identity(id, "0000000001-00000000", null, Instant.EPOCH),
        null,
        Map.of(),
        files,
        Map.of(),
        Map.of(),
        new Changes(segments, segments.size(), Map.of(), History.NONE),
        null);
  }

  private ChangeCounts counts() {
    return new ChangeCounts(LongStream.of(counts).sum(), partition -> counts[partition]);
  }

  private Plan due(UpkeepSettings settings) {
    return new UpkeepPolicy(settings, InstantSource.system()).due(manifest(), counts());
  }

  private static List<Integer> folding(Plan plan) {
    assertThat(plan.merging()).isEmpty();
    return plan.folding().stream().map(PartitionFile::partition).toList();
  }

  private static List<Long> merging(Plan plan) {
    assertThat(plan.folding()).isEmpty();
    return plan.merging().stream().map(SegmentFile::number).toList();
  }

  @Test
  void leavesATableWithoutChangesAlone() {
    assertThat(due(WRITABLE)).isEqualTo(Plan.NOTHING);
    assertThat(due(UpkeepSettings.ofStream(Duration.ZERO))).isEqualTo(Plan.NOTHING);
  }

  @Test
  void foldsTheEighthThatChangedMostWhenSpaceIsUsed() {
    segment(LIMIT / 4, 3_000_000);
    segment(LIMIT / 4, 3_000_000);
    segment(LIMIT / 2 - 1_000, 3_000_000);
    changedEverywhere(400_000);
    counts[11] = 410_000;
    counts[3] = 405_000;
    foldedThrough[0] = 3; // a fold has just taken place
    assertThat(due(WRITABLE)).isEqualTo(Plan.NOTHING);
    segment(1_000, 100);
    assertThat(folding(due(WRITABLE))).containsExactly(11, 3);
  }

  @Test
  void foldsFromHalfTheSpaceOnWheneverAnEighthOfItWasWritten() {
    segment(LIMIT / 2 - LIMIT / 8, 3_000_000);
    foldedThrough[0] = 1;
    changedEverywhere(150_000);
    segment(LIMIT / 8 - 1_000, 1_000_000);
    assertThat(due(WRITABLE)).isEqualTo(Plan.NOTHING);
    segment(2_000, 100);
    assertThat(folding(due(WRITABLE))).hasSize(2);
    foldedThrough[1] = 3;
    assertThat(due(WRITABLE)).isEqualTo(Plan.NOTHING);
  }

  @Test
  void mergesWhereMostChangesAreSuperseded() {
    segment(LIMIT / 2, 5_000_000);
    segment(LIMIT / 2, 5_000_000);
    changed(4_999_000);
    assertThat(folding(due(WRITABLE))).containsExactly(0); // too large for one segment
    changed(3_000_000);
    assertThat(merging(due(WRITABLE))).containsExactly(1L, 2L);
    segments.remove(1);
    segment(LIMIT / 2, 2_000_000);
    segments.remove(0);
    segment(LIMIT / 2, 2_000_000);
    assertThat(folding(due(WRITABLE))).as("3 of 4 million changes count").containsExactly(0);
  }

  @Test
  void changesThatAreFoldedSomewhereAreNotSuperseded() {
    segment(LIMIT / 2, 5_000_000);
    segment(LIMIT / 2, 5_000_000);
    Arrays.fill(foldedThrough, 0, 10, 2);
    for (int i = 10; i < PARTITIONS; i++) {
      counts[i] = 400_000; // of 625,000 changes
    }
    assertThat(folding(due(WRITABLE))).containsExactly(10, 11);
    counts[10] = 1;
    counts[11] = 1;
    counts[12] = 1;
    assertThat(merging(due(WRITABLE))).containsExactly(1L, 2L);
  }

  @Test
  void foldsAllInStepsWhenThereAreTooManyKeysOrSegments() {
    segment(1_000, 1_000);
    changedEverywhere(1_000_000);
    counts[5] = 0;
    counts[6] = 2_000_000;
    Plan plan = due(WRITABLE);
    assertThat(folding(plan)).hasSize(PARTITIONS - 1).startsWith(6).doesNotContain(5);
    assertThat(plan.perStep()).isEqualTo(2);
    changedEverywhere(10);
    assertThat(due(WRITABLE)).isEqualTo(Plan.NOTHING);
    for (int i = 0; i < Changes.MAX_SEGMENTS / 2; i++) {
      segment(10, 1);
    }
    assertThat(folding(due(WRITABLE))).hasSize(PARTITIONS);
  }

  @Test
  void foldsWhatChangedByHalfTheFraction() {
    UpkeepSettings quarter = settings(NEVER, 0.25, 16_000_000);
    segment(10_000_000, 4_000_000);
    changedEverywhere(200_000);
    counts[1] = 125_000;
    counts[2] = 124_999;
    counts[3] = 1_150_000;
    assertThat(due(quarter)).isEqualTo(Plan.NOTHING);
    counts[3]++;
    assertThat(folding(due(quarter))).hasSize(PARTITIONS - 1).startsWith(3).doesNotContain(2);
    segments.clear();
    segment(1_000_000, 4_000_000);
    assertThat(due(quarter)).as("less than a megabyte").isEqualTo(Plan.NOTHING);
  }

  @Test
  void hasNoLimitOfSpaceUnlessThereIsOne() {
    segment(100 * BASE, 1_000_000);
    changedEverywhere(1);
    assertThat(due(settings(NEVER, NEVER, 16_000_000))).isEqualTo(Plan.NOTHING);
  }

  @Test
  void mergesTheNewestOfManySegments() {
    segment(800 << 20, 1);
    segment(2_000_000, 1);
    for (int i = 0; i < 62; i++) {
      segment(1_000, 1);
    }
    assertThat(due(settings(NEVER, NEVER, 16_000_000))).isEqualTo(Plan.NOTHING);
    segment(1_000, 1);
    assertThat(merging(due(settings(NEVER, NEVER, 16_000_000))))
        .hasSize(63)
        .startsWith(3L)
        .endsWith(65L);
  }

  @Test
  void leavesLongSegmentsToThemselves() {
    assertThat(newest(800, 6, 3, 2, 1, 1)).isEqualTo(5);
    assertThat(newest(1, 800, 9)).isZero();
    assertThat(newest(600, 300, 300, 200, 200)).isEqualTo(4);
    assertThat(newest(5)).isZero();
  }

  private int newest(long... mebibytes) {
    segments.clear();
    LongStream.of(mebibytes).forEach(size -> segment(size << 20, 1));
    UpkeepSettings one = new UpkeepSettings(NEVER, NEVER, 1000, 1, Duration.ZERO, 1, 8);
    return new UpkeepPolicy(one, InstantSource.system()).mergeNewest(manifest()).merging().size();
  }

  @Test
  void foldsByFractionWhenAsked() {
    changed(1, 0, 100_000, 200_000);
    UpkeepPolicy policy = new UpkeepPolicy(WRITABLE, InstantSource.system());
    assertThat(folding(policy.fold(manifest(), counts(), 0))).containsExactly(3, 2, 0);
    assertThat(folding(policy.fold(manifest(), counts(), 0.1))).containsExactly(3, 2);
    assertThat(policy.fold(manifest(), counts(), NEVER)).matches(Plan::isNothing);
  }

  /** These are upper bounds: where they make nothing due, no version is opened to count. */
  @Test
  void knowsByTheManifestHowManyKeysCanHaveChanged() {
    segment(1_000, 160);
    segment(1_000, 320);
    Arrays.fill(foldedThrough, 0, 14, 2);
    foldedThrough[14] = 1;
    ChangeCounts most = ChangeCounts.most(manifest());
    assertThat(most.total()).isEqualTo(160 + 320);
    assertThat(most.in(13)).isZero();
    assertThat(most.in(14)).isEqualTo(320);
    assertThat(most.in(15)).isEqualTo(160 + 320);
    Arrays.fill(foldedThrough, 2);
    assertThat(ChangeCounts.most(manifest()).total()).isZero();
  }

  @Test
  void estimatesByTheManifest() {
    segment(1_000, 160);
    segment(1_000, 320);
    Arrays.fill(foldedThrough, 0, 8, 1);
    ChangeCounts estimate = ChangeCounts.estimate(manifest());
    assertThat(estimate.total()).isEqualTo(80 + 320);
    assertThat(estimate.in(0)).isEqualTo(20);
    assertThat(estimate.in(8)).isEqualTo(30);
    assertThat(estimate.in(15)).isEqualTo(30);
  }

  @Test
  void saysHowFarItIsToTheLimits() {
    UpkeepPolicy policy = new UpkeepPolicy(WRITABLE, InstantSource.system());
    assertThat(policy.load(manifest(), 8_000_000, 0)).isEqualTo(0.5);
    segment(LIMIT * 3 / 4, 1);
    assertThat(policy.load(manifest(), 8_000_000, 0)).isEqualTo(0.75);
    segment(LIMIT / 2, 1);
    assertThat(policy.load(manifest(), 8_000_000, 0)).isCloseTo(2, within(0.001));
  }

  @Test
  void newRecordsAreNoLoadAsTheyTakeTheirOwnSpace() {
    segment(2 * LIMIT, 1_000_000);
    UpkeepPolicy policy = new UpkeepPolicy(WRITABLE, InstantSource.system());
    assertThat(policy.load(manifest(), 900_000, 0)).isGreaterThan(2);
    assertThat(policy.load(manifest(), 900_000, 900_000)).isLessThan(1);
    assertThat(policy.load(manifest(), 900_000, 250_000)).isBetween(1.5, 3.0);
  }
}
