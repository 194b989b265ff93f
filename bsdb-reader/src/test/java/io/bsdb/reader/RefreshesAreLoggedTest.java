package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.follow.Followed;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.Table;
import io.bsdb.testkit.LoggedLines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefreshesAreLoggedTest {
  /** As when the disk with the table is away for a while. */
  @Test
  void aTableThatIsAwayIsLoggedOnceAndWhenItIsBack(@TempDir Path table) throws Exception {
    var versions = new NumberedVersions(table);
    versions.publishNext();
    Path current = table.resolve("CURRENT");
    try (var lines = LoggedLines.of(TableReader.class);
        TableReader live = TableReader.builder(table).refreshEvery(Duration.ZERO).open()) {
      Files.move(current, current.resolveSibling("AWAY"));
      for (int i = 0; i < 5; i++) {
        Followed.refreshInBackground(live);
      }
      assertThat(lines.all()).hasSize(1);
      Files.move(current.resolveSibling("AWAY"), current);
      Followed.refreshInBackground(live);
      Followed.refreshInBackground(live);
      String version = Table.at(table).requireCurrentVersion();
      assertThat(lines.all())
          .hasSize(2)
          .last()
          .asString()
          .contains("refreshes succeed again after 5 failed, version " + version + " is in use");
    }
  }

  /** Whatever the refresh thread throws ends the refreshes for good. */
  @Test
  void goesOnIfNothingCanBeLogged(@TempDir Path table) throws Exception {
    var versions = new NumberedVersions(table);
    versions.publishNext();
    try (var lines = LoggedLines.failing(TableReader.class);
        TableReader live = TableReader.builder(table).refreshEvery(Duration.ZERO).open()) {
      versions.damage(versions.publishNext());
      Followed.refreshInBackground(live);
      assertThat(lines.all()).hasSize(1);
      String third = versions.publishNext().version();
      Followed.refreshInBackground(live);
      assertThat(live.version()).isEqualTo(third);
    }
  }

  /** It stays refused as long as it is in service, so it is not back. */
  @Test
  void aRefusedVersionIsLoggedOnce(@TempDir Path table) throws Exception {
    var versions = new NumberedVersions(table);
    versions.publishNext();
    try (var lines = LoggedLines.of(TableReader.class);
        TableReader live = TableReader.builder(table).refreshEvery(Duration.ZERO).open()) {
      versions.damage(versions.publishNext());
      for (int i = 0; i < 5; i++) {
        Followed.refreshInBackground(live);
      }
      List<String> refused = lines.all();
      assertThat(refused).hasSize(1);
      String third = versions.publishNext().version();
      Followed.refreshInBackground(live);
      assertThat(lines.all())
          .hasSize(2)
          .last()
          .asString()
          .contains("after 1 failed, version " + third + " is in use");
    }
  }
}
