package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.io.IORunnable;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table that is opened as a writable one while others are about to publish into it. */
class OwnedMeanwhileTest {
  @TempDir Path directory;

  @BeforeEach
  void build() throws IOException {
    Records.of("key", "value").publish(directory, WriterOptions.defaults());
  }

  private void refusesOnceOwned(IORunnable publish) throws IOException {
    WritableTable.open(directory).close();
    assertThatThrownBy(publish::run)
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("a writable table cannot be published into");
  }

  @Test
  void refusesADelta() throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      writer.put(bytes("key"), bytes("other"));
      refusesOnceOwned(writer::publish);
    }
  }

  @Test
  void refusesABuild() throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(directory, WriterOptions.defaults())) {
      writer.add(bytes("key"), bytes("other"));
      refusesOnceOwned(writer::publish);
    }
  }
}
