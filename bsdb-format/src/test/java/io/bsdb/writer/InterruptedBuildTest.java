package io.bsdb.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class InterruptedBuildTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(Layout.class)
  void endsItsThreadsAndLeavesNothing(Layout layout) throws Exception {
    WriterOptions options = WriterOptions.builder().layout(layout).partitions(4).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int i = 0; i < 50_000; i++) {
        byte[] key = ByteBuffer.allocate(8).putLong(i).array();
        writer.add(key, key);
      }
      Thread.currentThread().interrupt();
      assertThatThrownBy(writer::publish)
          .isInstanceOf(InterruptedIOException.class)
          .hasMessage("interrupted while building partitions");
      assertThat(Thread.interrupted()).isTrue();
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().startsWith("bsdb-build-")) {
          thread.join();
        }
      }
    }
    Table table = Table.at(directory);
    assertThat(table.currentVersion()).isNull();
    assertThat(table.storage().list("snapshots")).isEmpty();
    assertThat(table.storage().list("staging")).isEmpty();
  }
}
