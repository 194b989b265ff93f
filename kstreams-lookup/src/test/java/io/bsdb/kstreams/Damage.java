package io.bsdb.kstreams;

import io.bsdb.format.FileFooter;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.row.Schema;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.writer.BuildWorker;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Damages tables. */
public final class Damage {
  private Damage() {}

  /**
   * Puts a snapshot in service that no reader opens, because its metadata are damaged.
   *
   * @param schema of the snapshot; null for none
   * @return its version
   */
  public static String publish(Path directory, @Nullable Schema schema) {
    WriterOptions.Builder builder = WriterOptions.builder();
    if (schema != null) {
      builder.schema(schema);
    }
    WriterOptions options = builder.build();
    Table table = Table.at(directory);
    try {
      Build build = table.begin();
      Path staging = Files.createDirectories(directory.resolve(build.stagingDirectory()));
      List<PartitionFile> files;
      try (BuildWorker writer = BuildWorker.create(table, build, 1, "test", staging, options)) {
        writer.add(new byte[] {1}, new byte[] {2});
        files = writer.finish();
      }
      for (PartitionFile file : files) {
        damage(
            directory.resolve(build.directory()).resolve(file.name()),
            0,
            SnapshotFormat.HEADER_LENGTH);
      }
      return SnapshotPublisher.publish(table, build, 1, files, options).version();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Damages the records of the version in service, but not its metadata: a lookup that is built now
   * opens it, and reading a value fails.
   */
  public static void records(Path directory) {
    Table table = Table.at(directory);
    try {
      Manifest manifest = table.manifest(table.requireCurrentVersion());
      for (PartitionFile file : manifest.partitions()) {
        Path path =
            directory
                .resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY)
                .resolve(manifest.version())
                .resolve(file.name());
        ByteBuffer content =
            ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        Section blocks =
            Objects.requireNonNull(
                FileFooter.decode(
                        content, content.limit(), new PartChecksum(file.fileId()), path.toString())
                    .find(SectionKind.BLOCKS));
        damage(path, blocks.offset(), blocks.length());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void damage(Path file, long offset, long length) throws IOException {
    byte[] bytes =
        Arrays.copyOfRange(Files.readAllBytes(file), (int) offset, (int) (offset + length));
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= 0x55;
    }
    // In place: a reader may have mapped the file.
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer damaged = ByteBuffer.wrap(bytes);
      while (damaged.hasRemaining()) {
        channel.write(damaged, offset + damaged.position());
      }
    }
  }
}
