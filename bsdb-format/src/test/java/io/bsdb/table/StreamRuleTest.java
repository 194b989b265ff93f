package io.bsdb.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamRuleTest {
  private static final UUID A = new UUID(0, 1);
  private static final UUID B = new UUID(0, 2);

  @TempDir Path directory;
  private Table table;

  @BeforeEach
  void publishAnEmptyTable() throws IOException {
    table = Table.at(directory);
    SnapshotPublisher.publishEmpty(table, 2, WriterOptions.builder().build());
  }

  private static Checkpoint at(UUID incarnation, long number) {
    return new Checkpoint(incarnation, number);
  }

  private Manifest publish(Checkpoint checkpoint, @Nullable Checkpoint previous)
      throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      writer.put(bytes("k"), bytes(checkpoint.toString()));
      writer.stream(new StreamRule("s", checkpoint, previous));
      return writer.publish();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void appliesEachPublicationOnce() throws IOException {
    publish(at(A, 1), null);
    Manifest second = publish(at(A, 2), at(A, 1));
    assertThat(second.changes().segments()).hasSize(2);
    assertThat(publish(at(A, 2), at(A, 1))).isEqualTo(second);
    assertThat(publish(at(A, 1), null)).isEqualTo(second);
    assertThat(table.storage().list("data")).as("no file of a repetition stays").hasSize(2);
  }

  @Test
  void appliesThoseOfTheNextIncarnation() throws IOException {
    publish(at(A, 1), null);
    publish(at(A, 2), at(A, 1));
    StreamProgress progress = publish(at(B, 3), at(A, 2)).changes().streams().get("s");
    assertThat(progress.last()).isEqualTo(at(B, 3));
    assertThat(progress.isSuperseded(A)).isTrue();
    refuses(at(A, 4), at(A, 2), "this job was superseded by another one");
  }

  /** State of before the first publication, from which jobs start after it, too. */
  @Test
  void appliesWhatFollowsTheBeginOfAnIncarnation() throws IOException {
    publish(at(A, 4), Checkpoint.begin(A));
    publish(at(B, 1), Checkpoint.begin(A));
    UUID c = new UUID(0, 3);
    StreamProgress progress = publish(at(c, 1), Checkpoint.begin(A)).changes().streams().get("s");
    assertThat(progress.last()).isEqualTo(at(c, 1));
    assertThat(progress.superseded()).containsExactly(at(A, 4), at(B, 1));
    refuses(at(B, 2), at(B, 1), "this job was superseded by another one");
    UUID d = new UUID(0, 4);
    refuses(at(d, 1), Checkpoint.begin(d), "another job wrote the stream, up to " + at(c, 1));
  }

  /** The state is another incarnation's than that which publishes first. */
  @Test
  void recordsWhoseBeginTheFirstPublicationFollows() throws IOException {
    publish(at(B, 1), Checkpoint.begin(A));
    UUID c = new UUID(0, 3);
    publish(at(c, 1), Checkpoint.begin(A));
    refuses(at(B, 2), at(B, 1), "this job was superseded by another one");
  }

  @Test
  void recordsTheTimeUpToWhichAllIsApplied() throws IOException {
    publish(at(A, 1), null);
    Instant time = Instant.parse("2026-01-01T00:00:00Z");
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      writer.stream(new StreamRule("s", at(A, 2), at(A, 1), time));
      Manifest manifest = writer.publish();
      assertThat(manifest.changes().sourceTime()).isEqualTo(time);
      assertThat(manifest.changes().segments()).as("no file without changes").hasSize(1);
    }
    assertThat(publish(at(A, 3), at(A, 2)).changes().sourceTime()).isEqualTo(time);
  }

  @Test
  void refusesWhatDoesNotFollow() throws IOException {
    refuses(at(A, 2), at(A, 1), "the table does not record the stream");
    publish(at(A, 1), null);
    refuses(at(B, 2), null, "another job wrote the stream, up to " + at(A, 1));
    refuses(at(A, 3), at(A, 2), "what comes between is missing");
  }

  private void refuses(Checkpoint checkpoint, @Nullable Checkpoint previous, String why)
      throws IOException {
    String before = table.currentVersion();
    assertThatThrownBy(() -> publish(checkpoint, previous))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContainingAll(
            "table %s: checkpoint %s of stream 's'".formatted(directory, checkpoint), why);
    assertThat(table.currentVersion()).isEqualTo(before);
  }

  @Test
  void publishesAnEmptyVersionOnlyWhereThereIsNone() throws IOException {
    Manifest next = publish(at(A, 1), null);
    assertThat(SnapshotPublisher.publishEmpty(table, 7, WriterOptions.builder().build()))
        .isEqualTo(next);
    assertThat(table.versions()).hasSize(2);
  }
}
