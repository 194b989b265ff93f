package io.bsdb.cli.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.SnapshotVerifier;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Work on a snapshot that takes longer than its table keeps it. */
class SnapshotDirectoryTest {
  @TempDir private Path table;
  private final List<String> begun = new ArrayList<>();
  private String first;

  @BeforeEach
  void publishFirst() throws IOException {
    first = publish();
  }

  private String publish() throws IOException {
    return Records.of("key", "value").publish(table, WriterOptions.defaults()).version();
  }

  /** Verifies the snapshot that a path means, which is replaced and deleted at first. */
  private String verify(Path path) throws IOException {
    return SnapshotDirectory.read(
        path,
        snapshot -> {
          begun.add(snapshot.getFileName().toString());
          if (begun.size() == 1) {
            publish();
            Table.at(table).prune(1);
          }
          return SnapshotVerifier.verify(snapshot).version();
        });
  }

  @Test
  void takesTheVersionThatReplacedADeletedOne() throws IOException {
    String second = verify(table);
    assertThat(second).isEqualTo(Table.at(table).requireCurrentVersion());
    assertThat(begun).containsExactly(first, second);
  }

  @Test
  void takesNoOtherForASnapshotThatIsNamed() throws IOException {
    Path snapshot = SnapshotDirectory.of(table);
    assertThatThrownBy(() -> verify(snapshot)).isInstanceOf(NoSuchFileException.class);
    assertThat(begun).containsExactly(first);
  }
}
