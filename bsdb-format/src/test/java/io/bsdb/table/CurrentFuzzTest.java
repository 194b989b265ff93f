package io.bsdb.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.storage.ForwardingStorage;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever CURRENT holds: it names a version within the table, or is refused. */
class CurrentFuzzTest {
  static Stream<byte[]> contents() {
    return Stream.of("0000000042-0a1b2c3d\n", "../../../etc/passwd\n", "")
        .map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  @MethodSource("contents")
  @FuzzTest(maxDuration = "1m")
  void current(byte[] content) throws IOException {
    TableStorage storage =
        new ForwardingStorage(Table.at(Path.of("t")).storage()) {
          @Override
          public byte[] read(String path, int limit) {
            return content;
          }

          @Override
          public List<String> list(String path) {
            return List.of(SnapshotFormat.MANIFEST_FILE); // whatever it names is there
          }
        };
    try {
      String version = Table.of(storage).currentVersion();
      assertThat(version).hasSize(19).matches("[0-9]{10}-[0-9a-f]{8}");
      assertThat(content).isEqualTo((version + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (CorruptSnapshotException e) {
      assertThat(e).hasMessageContaining("CURRENT does not name a version");
    }
  }
}
