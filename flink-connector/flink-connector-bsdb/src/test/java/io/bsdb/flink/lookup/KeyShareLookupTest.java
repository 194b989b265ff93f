package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.PartitionFile;
import io.bsdb.reader.Access;
import io.bsdb.reader.KeyShare;
import io.bsdb.table.Table;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyShareLookupTest {
  private static final int KEYS = 200;

  @TempDir Path directory;

  private static byte[] bytes(int i) {
    return ("key " + i).getBytes(StandardCharsets.UTF_8);
  }

  @BeforeEach
  void build() throws Exception {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, WriterOptions.builder().partitions(4).build())) {
      for (int i = 0; i < KEYS; i++) {
        writer.add(bytes(i), bytes(i));
      }
      writer.publish();
    }
  }

  private SnapshotLookupFunction function(InputShuffle shuffle) {
    return new SnapshotLookupFunction(TestLookup.spec(directory, Access.MAPPED, shuffle));
  }

  @Test
  void opensOnlyThePartitionsOfItsShare() throws Exception {
    Table table = Table.at(directory);
    String version = table.requireCurrentVersion();
    for (PartitionFile file : table.manifest(version).partitions().subList(0, 2)) {
      Files.delete(directory.resolve("snapshots").resolve(version).resolve(file.name()));
    }
    SnapshotLookupFunction function = function(InputShuffle.BY_KEY);
    function.open(new MeteredContext());

    for (int i = 0; i < KEYS; i++) {
      GenericRowData compared = GenericRowData.of(StringData.fromBytes(bytes(i)));
      if (KeyShare.indexOf(bytes(i), 2) == 1) {
        assertThat(function.lookup(compared)).hasSize(1);
      } else {
        assertThatThrownBy(() -> function.lookup(compared))
            .hasMessageContaining("outside of what this reader has opened");
      }
    }
    function.close();
    assertThatThrownBy(() -> function(InputShuffle.NONE).open(new MeteredContext()))
        .hasMessageContaining("cannot be opened");
    assertThat(OpenReaders.count()).isZero();
  }
}
