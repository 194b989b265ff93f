package io.bsdb.kstreams.testing;

import io.bsdb.format.io.IOConsumer;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A table's files in a temporary directory: published and deleted. */
record TableFiles(Path directory, WriterOptions options) {
  static TableFiles create(WriterOptions options) {
    try {
      return new TableFiles(Files.createTempDirectory("bsdb-table-"), options);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  TableFiles withOptions(WriterOptions other) {
    return new TableFiles(directory, other);
  }

  String publish(IOConsumer<SnapshotWriter> records) {
    // A test may well want a table without rows.
    WriterOptions anyRows = options.toBuilder().partitions(1).minRows(0).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, anyRows)) {
      records.accept(writer);
      return writer.publish().version();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete() {
    try {
      DirectoryTree.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
