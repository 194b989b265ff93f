package io.bsdb.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.writer.TooFewRowsException.Limit;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Builds that are complete and yet not published, and what they leave: nothing. */
class RefusedBuildTest {
  private static final WriterOptions OPTIONS = WriterOptions.builder().partitions(2).build();

  @TempDir Path directory;
  private Table table;

  @BeforeEach
  void open() {
    table = Table.at(directory);
  }

  private Manifest build(int rows, WriterOptions options) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      addTo(writer, rows);
      return writer.publish();
    }
  }

  private static void addTo(SnapshotWriter writer, int rows) throws IOException {
    for (int i = 0; i < rows; i++) {
      writer.add(new byte[] {(byte) (i >> 8), (byte) i}, new byte[] {1});
    }
  }

  private void assertOnly(String... versions) throws IOException {
    assertThat(table.storage().list("snapshots")).containsExactly(versions);
    assertThat(table.storage().list("staging")).isEmpty();
  }

  @Test
  void refusesAnEmptyTableUnlessAllowed() throws Exception {
    assertThatThrownBy(() -> build(0, OPTIONS))
        .isInstanceOf(TooFewRowsException.class)
        .hasMessage(
            "too few rows, so nothing was published: table=%s expected>=1 actual=0", directory);
    assertThat(table.currentVersion()).isNull();
    assertOnly();
    Manifest empty = build(0, OPTIONS.toBuilder().minRows(0).build());
    assertThat(empty.recordCount()).isZero();
    assertOnly(empty.version());
  }

  @Test
  void keepsTheVersionInServiceIfThereAreFewerRowsThanDemanded() throws Exception {
    WriterOptions three = OPTIONS.toBuilder().minRows(3).build();
    String before = build(3, three).version();
    assertThatThrownBy(() -> build(2, three))
        .isInstanceOfSatisfying(
            TooFewRowsException.class, e -> assertThat(e.limit()).isEqualTo(Limit.MIN_ROWS))
        .hasMessageContaining("expected>=3 actual=2");
    assertThat(table.currentVersion()).isEqualTo(before);
    assertOnly(before);
  }

  /** The products are no whole numbers in binary: 0.7 × 10, 0.29 × 100. */
  @ParameterizedTest
  @CsvSource({"10, 0.7, 3", "100, 0.29, 71", "10, 0.25, 8", "3, 0, 3", "1000, 0.001, 999"})
  void comparesWithTheVersionBefore(int before, double shrinkage, int least) throws Exception {
    String parent = build(before, OPTIONS).version();
    WriterOptions options = OPTIONS.toBuilder().maxShrinkage(shrinkage).build();
    assertThatThrownBy(() -> build(least - 1, options))
        .isInstanceOfSatisfying(
            TooFewRowsException.class, e -> assertThat(e.limit()).isEqualTo(Limit.MAX_SHRINKAGE))
        .hasMessage(
            "too few rows, so nothing was published: table=%s the version before, %s, has %d:"
                + " expected>=%d actual=%d",
            directory, parent, before, least, least - 1);
    assertOnly(parent);
    assertThat(build(least, options).recordCount()).isEqualTo(least);
  }

  @Test
  void comparesWithNothingInAFirstBuild() throws Exception {
    WriterOptions options = OPTIONS.toBuilder().maxShrinkage(0).build();
    assertThat(build(1, options).recordCount()).isOne();
  }

  @Test
  void saysWhatToDoIfTheVersionBeforeCannotBeRead() throws Exception {
    Path manifest =
        directory
            .resolve("snapshots")
            .resolve(build(1, OPTIONS).version())
            .resolve("manifest.json");
    Files.writeString(manifest, "{}");
    assertThatThrownBy(() -> build(1, OPTIONS.toBuilder().maxShrinkage(0.5).build()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "the number of rows cannot be compared with the version before, build without a maximum"
                + " shrinkage: manifest does not end with a checksum")
        .hasMessageContaining(manifest.toString());
    assertThat(build(1, OPTIONS).recordCount()).isOne();
  }

  @Test
  void refusesLimitsOutOfRange() {
    assertThatThrownBy(() -> WriterOptions.builder().minRows(-1))
        .hasMessageStartingWith("minimum rows out of range: expected 0 to ");
    for (double wrong : new double[] {-0.1, 1.1, Double.NaN}) {
      assertThatThrownBy(() -> WriterOptions.builder().maxShrinkage(wrong))
          .hasMessage("maximum shrinkage out of range: expected 0 to 1, actual " + wrong);
    }
  }

  @Test
  void aBuildThatLostAConflictIsDeletedAtOnce() throws Exception {
    try (SnapshotWriter loser = SnapshotWriter.create(directory, OPTIONS)) {
      addTo(loser, 5);
      String winner = build(1, OPTIONS).version();
      assertThatThrownBy(loser::publish).isInstanceOf(PublishConflictException.class);
      assertThat(table.storage().list("snapshots")).containsExactly(winner);
    }
  }

  @Test
  void aManifestThatIsTooLongIsNotWritten() throws Exception {
    String before = build(1, OPTIONS).version();
    WriterOptions options =
        OPTIONS.toBuilder().properties(Map.of("note", "x".repeat(Manifest.MAX_LENGTH))).build();
    assertThatThrownBy(() -> build(1, options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("manifest too long: expected<=67108864 bytes")
        .hasMessageContaining("its longest member is 'properties'");
    assertThat(table.currentVersion()).isEqualTo(before);
    assertOnly(before);
  }

  /** The build was published, then rolled back, and another followed: its files may be in use. */
  @Test
  void aRepetitionThatIsRefusedDeletesNothingThatWasInService() throws Exception {
    String first = build(1, OPTIONS).version();
    Build build = table.begin();
    List<PartitionFile> files;
    try (BuildWorker writer =
        BuildWorker.create(table, build, 1, "x", directory.resolve("tmp"), OPTIONS)) {
      writer.add(new byte[] {1}, new byte[] {2});
      files = writer.finish();
    }
    SnapshotPublisher.publish(table, build, 1, files, OPTIONS);
    table.rollback(first);
    String later = build(1, OPTIONS).version();
    assertThatThrownBy(() -> SnapshotPublisher.publish(table, build, 1, files, OPTIONS))
        .isInstanceOf(PublishConflictException.class);
    assertThat(table.versions()).containsExactly(first, build.version(), later);
    assertThat(table.storage().list(build.directory()))
        .containsExactly("manifest.json", files.get(0).name());
  }
}
