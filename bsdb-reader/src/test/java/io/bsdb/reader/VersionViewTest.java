package io.bsdb.reader;

import static io.bsdb.reader.NumberedVersions.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.follow.VersionView;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What users derive from the version in use. */
@ExtendWith(NothingLeftOpen.class)
class VersionViewTest {
  @TempDir Path directory;
  private NumberedVersions versions;
  private final List<String> derived = new ArrayList<>();
  private final List<SnapshotReader> readers = new ArrayList<>();

  @BeforeEach
  void begin() {
    versions = new NumberedVersions(directory);
  }

  private TableReader open(OnMissing onMissing) throws Exception {
    return TableReader.builder(directory).refreshEvery(Duration.ZERO).onMissing(onMissing).open();
  }

  private String derive(SnapshotReader reader) {
    readers.add(reader);
    derived.add(reader.manifest().version());
    return reader.manifest().version();
  }

  @Test
  void isRenewedWhenAskedAfterTheVersionChanged() throws Exception {
    String first = versions.publishNext().version();
    try (TableReader table = open(OnMissing.FAIL);
        VersionView<String> view = table.view(this::derive)) {
      assertThat(view.current()).isEqualTo(first);
      String second = versions.publishNext().version();
      table.refresh();
      assertThat(view.latest()).isEqualTo(first);
      assertThat(view.version()).isEqualTo(first);
      assertThat(readers.get(0).get(key(1))).as("held open").isNotNull();

      assertThat(view.current()).isEqualTo(second);
      assertThat(view.current()).isEqualTo(second);
      assertThat(view.latest()).isEqualTo(second);
      assertThat(view.version()).isEqualTo(second);
      assertThat(derived).containsExactly(first, second);
      assertThatThrownBy(() -> readers.get(0).get(key(1)))
          .isInstanceOf(ClosedReaderException.class);
    }
  }

  @Test
  void keepsItsVersionIfTheNextOneDoesNotSuit() throws Exception {
    String first = versions.publishNext().version();
    String[] unsuitable = new String[1];
    try (TableReader table = open(OnMissing.FAIL);
        VersionView<String> view =
            table.view(
                reader -> {
                  String version = derive(reader);
                  if (version.equals(unsuitable[0])) {
                    throw new IllegalArgumentException("does not suit");
                  }
                  return version;
                })) {
      unsuitable[0] = versions.publishNext().version();
      table.refresh();
      assertThat(view.refusal()).isNull();
      assertThat(view.current()).isEqualTo(first);
      assertThat(view.current()).isEqualTo(first);
      assertThat(derived).as("tried once").containsExactly(first, unsuitable[0]);
      assertThat(view.refusal()).hasMessage("does not suit");
      assertThat(readers.get(0).get(key(1))).isNotNull();

      String third = versions.publishNext().version();
      table.refresh();
      assertThat(view.refusal()).isNull();
      assertThat(view.current()).isEqualTo(third);
    }
  }

  @Test
  void aFirstVersionThatDoesNotSuitFailsEachTime() throws Exception {
    try (TableReader table = open(OnMissing.EMPTY);
        VersionView<String> view =
            table.view(
                reader -> {
                  throw new IllegalArgumentException("does not suit");
                })) {
      assertThat(view.current()).isNull();
      versions.publishNext();
      table.refresh();
      assertThatThrownBy(view::current).hasMessage("does not suit");
      assertThatThrownBy(view::current).hasMessage("does not suit");
      assertThatThrownBy(() -> table.view(reader -> readers.get(7)))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void isNullWhileThereIsNoVersion() throws Exception {
    try (TableReader table = open(OnMissing.EMPTY);
        VersionView<String> view = table.view(this::derive)) {
      assertThat(view.current()).isNull();
      assertThat(view.latest()).isNull();
      assertThat(view.version()).isNull();
      String first = versions.publishNext().version();
      table.refresh();
      assertThat(view.current()).isEqualTo(first);
    }
  }

  @Test
  void staysAfterTheTableIsClosed() throws Exception {
    String first = versions.publishNext().version();
    TableReader table = open(OnMissing.FAIL);
    try (VersionView<String> view = table.view(this::derive)) {
      versions.publishNext();
      table.refresh();
      table.close();
      assertThat(view.current()).isEqualTo(first);
      assertThat(readers.get(0).get(key(1))).isNotNull();
      assertThatThrownBy(() -> table.view(this::derive)).isInstanceOf(ClosedReaderException.class);
    }
  }
}
