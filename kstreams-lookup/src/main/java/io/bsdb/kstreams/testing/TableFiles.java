package io.bsdb.kstreams.testing;

import io.bsdb.format.FileFooter;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Build;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionFile;
import io.bsdb.table.Table;
import io.bsdb.writer.BuildWorker;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A table's files in a temporary directory: published, damaged, deleted. */
final class TableFiles {
  private static final int DAMAGE = 0x55;

  final Path directory;
  private final WriterOptions options;

  enum Health {
    GOOD,
    /** No reader opens it. */
    DAMAGED
  }

  /** Adds what a snapshot shall hold. */
  interface Records {
    void addTo(BuildWorker writer) throws IOException;
  }

  private TableFiles(Path directory, WriterOptions options) {
    this.directory = directory;
    this.options = options;
  }

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

  String publish(Records records, Health health) {
    Table table = Table.at(directory);
    try {
      Build build = table.begin();
      Path staging = Files.createDirectories(directory.resolve(build.stagingDirectory()));
      List<PartitionFile> files;
      try (BuildWorker writer = BuildWorker.create(table, build, 1, "test", staging, options)) {
        records.addTo(writer);
        files = writer.finish();
      }
      if (health == Health.DAMAGED) {
        if (files.isEmpty()) {
          throw new IllegalArgumentException("a snapshot without records has nothing to damage");
        }
        for (PartitionFile file : files) {
          damage(
              directory.resolve(build.directory()).resolve(file.name()),
              0,
              SnapshotFormat.HEADER_LENGTH);
        }
      }
      // A test may well want a table without rows.
      WriterOptions anyRows = options.toBuilder().minRows(0).build();
      return SnapshotPublisher.publish(table, build, 1, files, anyRows).version();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void damageRecords() {
    Table table = Table.at(directory);
    try {
      Manifest manifest = table.manifest(table.requireCurrentVersion());
      for (PartitionFile file : manifest.partitions()) {
        Path path =
            directory
                .resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY)
                .resolve(manifest.version())
                .resolve(file.name());
        Section blocks = blocks(path, new PartChecksum(file.fileId()));
        damage(path, blocks.offset(), blocks.length());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Section blocks(Path file, PartChecksum checksum) throws IOException {
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    Section blocks =
        FileFooter.decode(content, content.limit(), checksum, file.toString())
            .find(SectionKind.BLOCKS);
    if (blocks == null) {
      throw new IllegalStateException("no blocks in " + file);
    }
    return blocks;
  }

  private static void damage(Path file, long offset, long length) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(length));
      while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {}
      bytes.flip();
      for (int i = 0; i < bytes.limit(); i++) {
        bytes.put(i, (byte) (bytes.get(i) ^ DAMAGE));
      }
      while (bytes.hasRemaining()) {
        channel.write(bytes, offset + bytes.position());
      }
    }
  }

  void delete() {
    try (Stream<Path> files = Files.exists(directory) ? Files.walk(directory) : Stream.empty()) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
