package io.bsdb.table.manifest;

import static io.bsdb.table.manifest.EditedManifests.FILE;
import static io.bsdb.table.manifest.EditedManifests.MANIFEST;
import static io.bsdb.table.manifest.EditedManifests.assertRefusedWith;
import static io.bsdb.table.manifest.EditedManifests.edited;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Changes, history and streams in a manifest. */
class ManifestChangesTest {
  @Test
  void readsWhatItWroteOfChanges() throws Exception {
    SegmentFile first = new SegmentFile(3, new UUID(5, 6), 1000, 0x80000002, 0, -1, 10, 2);
    SegmentFile second = new SegmentFile(7, new UUID(5, 7), 2000, 1, 1L << 63, -1, 0, 1);
    List<PartitionFile> partitions =
        MANIFEST.partitions().stream().map(file -> file.in("0000000001-12345678")).toList();
    Manifest manifest =
        MANIFEST.with(
            partitions, Map.of(), new Changes(List.of(first, second), 9, Map.of(), History.NONE));
    byte[] encoded = manifest.encode();
    assertThat(new String(encoded, StandardCharsets.UTF_8)).contains("\"formatVersion\" : 2");
    assertThat(Manifest.decode(encoded, FILE)).isEqualTo(manifest);
    assertThat(manifest.changes().count()).isEqualTo(13);
    assertThat(manifest.changes().length()).isEqualTo(3000);
    assertThat(manifest.files())
        .contains(first.path(), "snapshots/0000000001-12345678/part-00000.bsdb");

    assertRefusedWith(
        edited(manifest, "\"formatVersion\" : 2", "\"formatVersion\" : 1"),
        "what only version 2 has");
    assertRefusedWith(edited(manifest, "\"number\" : 7", "\"number\" : 3"), "out of order");
    assertRefusedWith(edited(manifest, "\"number\" : 7", "\"number\" : 10"), "number out of range");
    assertRefusedWith(
        edited(manifest, new UUID(5, 7).toString(), new UUID(5, 6).toString()), "out of order");
    assertRefusedWith(
        edited(manifest, "8000000000000000", "8"), "firstHash does not have the form");
    assertRefusedWith(edited(manifest, "\"lastSegment\" : 9,", ""), "'lastSegment' is missing");
    assertRefusedWith(
        edited(manifest, "\"segments\" : [", "\"segments\" : {}, \"other\" : ["),
        "'segments' is not an array");
  }

  @Test
  void readsWhatItWroteOfHistory() throws Exception {
    SegmentFile folded = new SegmentFile(3, new UUID(5, 6), 1000, 1, 0, -1, 10, 2);
    SegmentFile applied = new SegmentFile(7, new UUID(5, 7), 2000, 1, 0, -1, 0, 1);
    History history = new History(new UUID(7, 8), 2, List.of(folded));
    Manifest manifest =
        MANIFEST.with(
            MANIFEST.partitions(), Map.of(), new Changes(List.of(applied), 7, Map.of(), history));
    assertThat(Manifest.decode(manifest.encode(), FILE)).isEqualTo(manifest);
    assertThat(manifest.files()).contains(applied.path()).doesNotContain(folded.path());
    assertThat(manifest.filesToKeep()).contains(applied.path(), folded.path());
    assertThat(manifest.changes().after(2)).containsExactly(folded, applied);
    assertThat(manifest.changes().after(3)).containsExactly(applied);

    assertRefusedWith(edited(manifest, "\"after\" : 2", "\"after\" : 3"), "out of order");
    assertRefusedWith(edited(manifest, "\"after\" : 2", "\"after\" : 8"), "after out of range");
    assertRefusedWith(
        edited(manifest, new UUID(5, 6).toString(), new UUID(5, 7).toString()), "out of order");
    assertRefusedWith(
        edited(manifest, new UUID(7, 8).toString(), "x"), "line does not have the form");
  }

  @Test
  void readsWhatItWroteOfStreams() throws Exception {
    StreamProgress progress =
        new StreamProgress(new StreamProgress.Checkpoint(new UUID(1, 1), 4))
            .after(new StreamProgress.Checkpoint(new UUID(1, 1), 5))
            .after(new StreamProgress.Checkpoint(new UUID(1, 2), 7));
    Manifest manifest =
        MANIFEST.with(
            MANIFEST.partitions(), Map.of(), Changes.NONE.with("a", progress).with("b", progress));
    byte[] encoded = manifest.encode();
    assertThat(new String(encoded, StandardCharsets.UTF_8)).contains("\"formatVersion\" : 2");
    assertThat(Manifest.decode(encoded, FILE)).isEqualTo(manifest);
    assertThat(manifest.changes().in(List.of(), History.NONE)).isEqualTo(manifest.changes());
    assertThat(manifest.changes().append(List.of()).streams()).containsKeys("a", "b");

    assertThat(progress.contains(new StreamProgress.Checkpoint(new UUID(1, 1), 5))).isTrue();
    assertThat(progress.contains(new StreamProgress.Checkpoint(new UUID(1, 1), 6))).isFalse();
    assertThat(progress.contains(new StreamProgress.Checkpoint(new UUID(1, 2), 7))).isTrue();
    assertThat(progress.contains(new StreamProgress.Checkpoint(new UUID(1, 3), 1))).isFalse();
    assertThat(progress.isSuperseded(new UUID(1, 1))).isTrue();

    assertRefusedWith(
        edited(manifest, "\"checkpoint\" : 7", "\"checkpoint\" : -7"), "checkpoint out of range");
    assertRefusedWith(edited(manifest, "\"superseded\"", "\"other\""), "'superseded' is missing");
    assertRefusedWith(
        edited(manifest, new UUID(1, 2).toString(), "x"), "incarnation does not have the form");
  }

  @Test
  void readsWhatItWroteOfSourceTimes() throws Exception {
    StreamProgress unknown = new StreamProgress(new StreamProgress.Checkpoint(new UUID(1, 1), 4));
    StreamProgress early = unknown.at(Instant.parse("1969-12-31T23:59:59.000999Z"));
    StreamProgress late = unknown.at(Instant.parse("2028-01-02T03:04:05.678Z"));
    Changes changes = Changes.NONE.with("early", early).with("late", late);
    Manifest manifest = MANIFEST.with(MANIFEST.partitions(), Map.of(), changes);

    assertThat(Manifest.decode(manifest.encode(), FILE)).isEqualTo(manifest);
    assertThat(changes.sourceTime()).isEqualTo(Instant.parse("1969-12-31T23:59:59Z"));
    assertThat(changes.with("u", unknown).sourceTime()).isNull();
    assertThat(Changes.NONE.sourceTime()).isNull();
    assertRefusedWith(
        edited(manifest, "2028-01-02T03:04:05.678Z", "2028-01-02T03:04:05.6Z"),
        "sourceTime does not have the form");
    assertRefusedWith(edited(manifest, "2028-01-02T03", "2028-01-32T03"), "2028-01-32T03");
  }

  @Test
  void aSourceTimeNeverGoesBack() {
    StreamProgress.Checkpoint next = new StreamProgress.Checkpoint(new UUID(1, 2), 5);
    Instant time = Instant.parse("2026-01-01T00:00:00Z");
    StreamProgress progress =
        new StreamProgress(new StreamProgress.Checkpoint(new UUID(1, 1), 4)).at(time);
    assertThat(progress.after(next).sourceTime()).isEqualTo(time);
    assertThat(progress.at(time.minusMillis(1)).sourceTime()).isEqualTo(time);
    assertThat(progress.at(null).sourceTime()).isEqualTo(time);
    assertThat(progress.at(time.plusMillis(1)).sourceTime()).isEqualTo(time.plusMillis(1));

    StreamProgress ended = progress.at(Instant.ofEpochMilli(Long.MAX_VALUE));
    assertThat(ended.sourceTime()).isEqualTo(StreamProgress.END);
    assertThat(ended.at(time).sourceTime()).as("of an input that goes on").isEqualTo(time);
    assertThat(ended.at(null).sourceTime()).isNull();
  }

  @Test
  void remembersOnlySoManySupersededIncarnations() {
    StreamProgress progress = new StreamProgress(new StreamProgress.Checkpoint(new UUID(0, 0), 1));
    for (int i = 1; i <= StreamProgress.MAX_SUPERSEDED + 1; i++) {
      progress = progress.after(new StreamProgress.Checkpoint(new UUID(0, i), 1));
    }
    assertThat(progress.superseded()).hasSize(StreamProgress.MAX_SUPERSEDED);
    assertThat(progress.isSuperseded(new UUID(0, 0))).isFalse();
    assertThat(progress.isSuperseded(new UUID(0, 1))).isTrue();
  }
}
