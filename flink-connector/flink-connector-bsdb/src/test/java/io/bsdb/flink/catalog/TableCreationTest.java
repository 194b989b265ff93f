package io.bsdb.flink.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.catalog.ObjectPath;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableCreationTest {
  private static final WriterOptions OPTIONS =
      WriterOptions.builder().partitions(1).minRows(0).build();

  @TempDir Path warehouse;
  private Path directory;
  private Table table;
  private Build build;
  private TableCreation creation;

  @BeforeEach
  void begin() throws Exception {
    directory = warehouse.resolve("geo/cities");
    table = Table.at(directory);
    build = table.begin();
    creation =
        new TableCreation("c", warehouse.toString(), new ObjectPath("geo", "cities"), Map.of());
    creation.builds(build);
    creation.begin();
    table.storage().replace(build.directory() + "/part-00000-x.bsdb", new byte[1]);
  }

  private void publish(Build published) throws Exception {
    SnapshotPublisher.publish(table, published, 1, List.of(), OPTIONS);
  }

  @Test
  void deletesWhatAJobThatFailedHasLeft() {
    creation.abort();
    assertThat(directory).doesNotExist();
  }

  @Test
  void deletesWhatAJobHasPublishedThatFailedAfterwards() throws Exception {
    publish(build);
    creation.abort();
    assertThat(directory).doesNotExist();
  }

  @Test
  void leavesATableThatAnotherJobHasMadeMeanwhile() throws Exception {
    Build faster = table.begin();
    publish(faster);

    creation.abort();

    assertThat(table.currentVersion()).isEqualTo(faster.version());
    assertThat(table.storage().list("snapshots")).containsExactly(faster.version());
  }

  @Test
  void leavesWhatAnotherJobIsBuilding() throws Exception {
    Build other = table.begin();
    String file = other.directory() + "/part-00000-y.bsdb";
    table.storage().replace(file, new byte[1]);

    creation.abort();

    assertThat(table.storage().list("snapshots")).containsExactly(other.version());
    assertThat(directory.resolve(file)).exists();
  }
}
