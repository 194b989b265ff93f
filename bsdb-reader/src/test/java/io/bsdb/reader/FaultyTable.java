package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A table of one partition, whose reads from disk go through a fault. */
final class FaultyTable {
  static final int PAGE = 4096;

  final TestData data = TestData.random(8, 2000, Lengths.VARYING, Lengths.VARYING, 100);

  /** What happens to reads, but for those of a ring. */
  volatile FaultyReads.Fault fault = (position, length) -> length;

  private final Manifest manifest;
  private final Path directory;
  private volatile Path readFile;

  FaultyTable(Path table) throws IOException {
    this(table, PAGE);
  }

  FaultyTable(Path table, int blockSize) throws IOException {
    manifest =
        data.publish(
            table,
            WriterOptions.builder()
                .layout(Layout.BLOCKED)
                .blockSize(blockSize)
                .partitions(1)
                .build());
    directory = table.resolve("snapshots").resolve(manifest.version());
    readFile = file();
  }

  SnapshotReader open(ReaderOptions options) throws IOException {
    return new CallingReader(
        CallingReader.OPENER.openDirectory(
            directory,
            manifest,
            options,
            path ->
                new FaultyReads(
                    DirectFile.openSource(readFile),
                    (position, length) -> fault.before(position, length))));
  }

  /** The partition's file. */
  Path file() {
    return directory.resolve(manifest.partitions().get(0).name());
  }

  /** Cuts the file off after some pages. */
  void shortenTo(int pages) throws IOException {
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      channel.truncate((long) pages * PAGE);
    }
  }

  /** Has readers that are opened from now on use a copy of the file, all but their rings. */
  void readACopy() throws IOException {
    readFile = Files.copy(file(), directory.resolveSibling("copy.bsdb"));
  }

  byte[] key(int record) {
    return data.keys().get(record);
  }

  /** The number of the block that holds a record. */
  int block(int record) throws IOException {
    try (OpenSnapshot snapshot =
        CallingReader.OPENER.openDirectory(
            directory, manifest, ReaderOptions.defaults(), DirectFile::openSource)) {
      Partition partition = snapshot.partitions().get(0);
      var hash = KeyHash.hash(key(record));
      return KeyIndex.block(
          partition
              .index()
              .locate(key(record), hash.getMostSignificantBits(), hash.getLeastSignificantBits()));
    }
  }

  /** How a record's lookup failed; null if it got its value. */
  Throwable failure(CompletableFuture<byte[]> future, int record) {
    try {
      assertThat(future.join()).isEqualTo(data.values().get(record));
      return null;
    } catch (CompletionException e) {
      return e.getCause();
    }
  }

  /** The same of a synchronous lookup, done now. */
  Throwable failure(SnapshotReader reader, int record) {
    try {
      assertThat(reader.get(key(record))).isEqualTo(data.values().get(record));
      return null;
    } catch (IOException | RuntimeException e) {
      return e;
    }
  }
}
