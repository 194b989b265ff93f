package io.bsdb.kstreams.testing;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.bsdb.format.FileFooter;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.kstreams.LookupBuilder;
import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.writer.PartitionWriter;
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
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serde;

/**
 * A real table of real snapshots in a temporary directory, made of maps.
 *
 * <pre>{@code
 * try (var table = TemporaryTable.create(Serdes.String(), Serdes.String())) {
 *   table.publish(Map.of("c1", "Ada"));
 *   try (var customers = table.lookup("customers").build();
 *       var driver = new TopologyTestDriver(topology(customers))) {
 *     ...                                  // joined with Ada
 *     table.publish(Map.of("c1", "Grace"));
 *     customers.refresh();                 // a swap, now; the next record is joined with Grace
 *   }
 * }
 * }</pre>
 *
 * <p>Used by one thread.
 *
 * @param <K> the table's keys
 * @param <V> the table's values
 */
public final class TemporaryTable<K, V> implements AutoCloseable {
  private static final int DAMAGE = 0x55;

  private final Path directory;
  private final Serde<K> keys;
  private final Serde<V> values;
  private final WriterOptions options;

  private enum Health {
    GOOD,
    DAMAGED
  }

  private TemporaryTable(Path directory, Serde<K> keys, Serde<V> values) {
    this.directory = directory;
    this.keys = keys;
    this.values = values;
    this.options =
        WriterOptions.builder()
            .partitions(1)
            .temporaryDirectory(directory.resolve("temporary"))
            .build();
  }

  /** A table without a snapshot, in a new directory that {@link #close} deletes. */
  public static <K, V> TemporaryTable<K, V> create(Serde<K> keys, Serde<V> values) {
    try {
      return new TemporaryTable<>(Files.createTempDirectory("bsdb-table-"), keys, values);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins to build a lookup in this table that refreshes only when it is told to. */
  public LookupBuilder<K, V> lookup(String name) {
    return SnapshotLookup.<K, V>builder(name)
        .table(directory)
        .serdes(keys, values)
        .refreshEvery(Duration.ofDays(1));
  }

  /** Where the table is. */
  public Path directory() {
    return directory;
  }

  /**
   * Puts a snapshot of these records in service.
   *
   * @return its version
   */
  @CanIgnoreReturnValue
  public String publish(Map<? extends K, ? extends V> records) {
    return publish(records, Health.GOOD);
  }

  /**
   * Puts a snapshot in service that no reader opens, because its metadata are damaged.
   *
   * @return its version
   */
  @CanIgnoreReturnValue
  public String publishDamaged(Map<? extends K, ? extends V> records) {
    return publish(records, Health.DAMAGED);
  }

  private String publish(Map<? extends K, ? extends V> records, Health health) {
    Table table = Table.at(directory);
    try {
      Build build = table.begin();
      List<PartitionFile> files;
      try (PartitionWriter writer =
          PartitionWriter.create(
              table, build, 1, "test", directory.resolve(build.stagingDirectory()), options)) {
        for (Map.Entry<? extends K, ? extends V> entry : records.entrySet()) {
          writer.add(
              keys.serializer().serialize("", entry.getKey()),
              values.serializer().serialize("", entry.getValue()));
        }
        files = writer.finish();
      }
      if (health == Health.DAMAGED) {
        for (PartitionFile file : files) {
          damage(
              directory.resolve(build.directory()).resolve(file.name()),
              0,
              SnapshotFormat.HEADER_LENGTH);
        }
      }
      return SnapshotPublisher.publish(table, build, 1, files, options).version();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Damages the records of the version in service, but not its metadata: it can be opened, and
   * reading a value fails. A lookup that has read from it before may not notice, because mapped
   * data are verified when they are first touched.
   */
  public void damageRecords() {
    Table table = Table.at(directory);
    try {
      Manifest manifest = table.manifest(table.requireCurrentVersion());
      for (PartitionFile file : manifest.partitions()) {
        Path path =
            directory
                .resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY)
                .resolve(manifest.version())
                .resolve(file.name());
        Section blocks = blocks(path);
        damage(path, blocks.offset(), blocks.length());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Section blocks(Path file) throws IOException {
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    Section blocks =
        FileFooter.decode(content, content.limit(), file.toString()).find(SectionKind.BLOCKS);
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

  /** Deletes the table. Close lookups first. */
  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
