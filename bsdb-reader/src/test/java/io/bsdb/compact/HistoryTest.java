package io.bsdb.compact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.Contents;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Compactions leave to builds that began before them every change that these need. */
@ExtendWith(NothingLeftOpen.class)
class HistoryTest {
  private static final int KEYS = 100;

  @TempDir(factory = InMemory.class)
  private Path directory;

  private final Map<String, String> model = new TreeMap<>();

  private static String key(int i) {
    return String.format(Locale.ROOT, "k%06d", i);
  }

  private Manifest build(WriterOptions options) throws IOException {
    for (int i = 0; i < KEYS; i++) {
      model.put(key(i), "base");
    }
    return Records.of(model).publish(directory, options);
  }

  private static WriterOptions.Builder twoPartitions() {
    return WriterOptions.builder().partitions(2).minRows(0);
  }

  /** Changes a key, which an empty value deletes. */
  private void change(DeltaWriter writer, String key, String value) throws IOException {
    if (value.isEmpty()) {
      writer.delete(key.getBytes(UTF_8));
      model.remove(key);
    } else {
      writer.put(key.getBytes(UTF_8), value.getBytes(UTF_8));
      model.put(key, value);
    }
  }

  private Manifest change(String key, String value) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      change(writer, key, value);
      return writer.publish();
    }
  }

  private SnapshotWriter asOf(Manifest version, WriterOptions options) throws IOException {
    SnapshotWriter writer = SnapshotWriter.createAsOf(version.version(), directory, options);
    for (Map.Entry<String, String> entry : model.entrySet()) {
      writer.add(entry.getKey().getBytes(UTF_8), entry.getValue().getBytes(UTF_8));
    }
    return writer;
  }

  private Compactor compactor(Duration history) {
    return new Compactor(directory).keepHistory(history);
  }

  /** Changes all keys of one partition and a key of the other; returns a key of the former. */
  private String changeMostOfOnePartition() throws IOException {
    Partitioning partitioning = new Partitioning(2);
    String first = null;
    String other = null;
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (String key : List.copyOf(model.keySet())) {
        if (partitioning.partition(key.getBytes(UTF_8)) == 0) {
          first = key;
          change(writer, key, "ONE");
        } else if (other == null) {
          other = key;
          change(writer, key, "ONE");
        }
      }
      writer.publish();
    }
    return String.valueOf(first);
  }

  @Test
  void isKeptForTheLongestDuration() throws IOException {
    Manifest base = build(twoPartitions().build());
    change(key(1), "ONE");
    compactor(Duration.ofSeconds(Long.MAX_VALUE)).foldFraction(0).run();
    try (SnapshotWriter writer = asOf(base, twoPartitions().build())) {
      writer.publish();
    }
    assertThat(Contents.verified(directory)).isEqualTo(model);
  }

  @Test
  void neverGoesBack() throws IOException {
    WriterOptions options = twoPartitions().build();
    build(options);
    String key = changeMostOfOnePartition();
    Manifest read = change(key, "TWO");
    try (SnapshotWriter writer = asOf(read, options)) {
      change(key, "THREE");
      Manifest half = compactor(Duration.ZERO).foldFraction(0.5).run().manifest();
      assertThat(half.changes().history().after()).isEqualTo(3);
      assertThat(half.partitions())
          .extracting(PartitionFile::foldedThrough)
          .containsExactly(3L, 0L);
      Manifest folded = compactor(Duration.ZERO).foldFraction(0).run().manifest();
      assertThat(folded.hasChanges()).isFalse();
      assertThatThrownBy(writer::publish)
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("kept only from segment 4 on");
      assertThat(folded.changes().history().after()).isEqualTo(3);
      assertThat(folded.partitions().get(0).foldedThrough()).isEqualTo(3);
    }
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  /** Segments that were written before that seem to have been written later than now. */
  @Test
  void keepsNothingForNobodyAfterTheClockWasSetBack() throws IOException {
    build(twoPartitions().build());
    SegmentFile written = change(key(1), "ONE").changes().segments().get(0);
    Files.setLastModifiedTime(
        directory.resolve(written.path()), FileTime.from(Instant.now().plus(Duration.ofDays(1))));
    Manifest folded = compactor(Duration.ZERO).foldFraction(0).run().manifest();
    assertThat(folded.changes().history().segments()).isEmpty();
    assertThat(folded.hasChanges()).isFalse();
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  /** A partition in key order whose last row has gone is in no manifest any more. */
  @Test
  void keepsTheDeletesOfAPartitionThatVanished() throws IOException {
    WriterOptions options = twoPartitions().order(RecordOrder.KEY).build();
    Manifest base = build(options);
    byte[] bound = base.partitioning().lowerBound(1);
    String first = new String(bound, UTF_8);
    try (SnapshotWriter writer = asOf(base, options)) {
      try (DeltaWriter delta = DeltaWriter.create(Table.at(directory))) {
        for (String key : List.copyOf(model.keySet())) {
          if (key.compareTo(first) >= 0) {
            change(delta, key, "");
          }
        }
        delta.publish();
      }
      change(key(0), "changed");
      Compactor.Result result =
          compactor(Duration.ofDays(1)).foldFraction(0.5).maxSegments(1).run();
      assertThat(result.manifest().partitions()).hasSize(1);
      assertThat(result.mergedSegments()).isEqualTo(2);
      assertThat(Contents.of(directory)).isEqualTo(model);
      writer.publish();
    }
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  @Test
  void takesWhatIsFoldedLaterThanItsSuccessors() throws IOException {
    WriterOptions options = twoPartitions().build();
    build(options);
    String key = changeMostOfOnePartition();
    change(key, "TWO");
    compactor(Duration.ZERO).foldFraction(0.5).run();
    Manifest folded = compactor(Duration.ofDays(1)).foldFraction(0).run().manifest();
    assertThat(folded.changes().history().segments()).isEmpty();
    assertThat(folded.changes().history().after()).isEqualTo(2);
    assertThat(Contents.of(directory)).isEqualTo(model);
  }
}
