package io.bsdb.compact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.io.IORunnable;
import io.bsdb.reader.Contents;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.PartitionSource;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a fold reads and writes. */
@ExtendWith(NothingLeftOpen.class)
class PartitionFolderTest {
  /** So many that a partition takes more than the buffers of an intake. */
  private static final int KEYS = 24_000;

  @TempDir private Path directory;
  private final Map<String, String> model = new HashMap<>();
  private final AtomicLong written = new AtomicLong();
  private volatile boolean usedTemporaryDirectory;

  private static String value(Random random) {
    return "value-%d-".formatted(random.nextLong()).repeat(random.nextInt(4));
  }

  private void build(Layout layout, RecordOrder order) throws IOException {
    WriterOptions options =
        WriterOptions.builder().layout(layout).order(order).partitions(2).build();
    Random random = new Random(1);
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int i = 0; i < KEYS; i += 2) {
        put("key-" + i, value(random), writer::add);
      }
      put("long", "v".repeat(200_000), writer::add);
      writer.publish();
    }
    for (int delta = 0; delta < 3; delta++) {
      try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
        for (int i = 0; i < KEYS / 6; i++) {
          String key = "key-" + random.nextInt(KEYS);
          if (random.nextInt(3) == 0) {
            model.remove(key);
            writer.delete(key.getBytes(UTF_8));
          } else {
            put(key, value(random), writer::put);
          }
        }
        writer.publish();
      }
    }
  }

  private interface Put {
    void put(byte[] key, byte[] value) throws IOException;
  }

  private void put(String key, String value, Put target) throws IOException {
    model.put(key, value);
    target.put(key.getBytes(UTF_8), value.getBytes(UTF_8));
  }

  /** Returns the table, with a count of what is written to it. */
  private Table counted() {
    TableStorage storage = Table.at(directory).storage();
    return Table.of(
        new FaultyStorage(storage, (operation, path) -> {}) {
          @Override
          public Output create(String path) throws IOException {
            Output output = super.create(path);
            return new Output() {
              @Override
              public int write(ByteBuffer source) throws IOException {
                int length = output.write(source);
                written.addAndGet(length);
                return length;
              }

              @Override
              public void commit() throws IOException {
                usedTemporaryDirectory |= !storage.list("staging").isEmpty();
                output.commit();
              }

              @Override
              public boolean isOpen() {
                return output.isOpen();
              }

              @Override
              public void close() throws IOException {
                output.close();
              }
            };
          }
        });
  }

  /** Folds all partitions. */
  private Manifest fold(SnapshotReader reader) throws IOException {
    JobContext context =
        new JobContext(
            counted(), Author.ANYONE, Compactor.KEEP_HISTORY, new Throttle(Long.MAX_VALUE));
    Set<UUID> all = Set.copyOf(FoldJob.fileIds(reader.manifest()));
    return new FoldJob(context, reader, all, directory).run();
  }

  private void requireFolded(Manifest manifest) throws IOException {
    assertThat(manifest.hasChanges()).isFalse();
    assertThat(Contents.verified(directory)).isEqualTo(model);
    assertThat(manifest.recordCount()).isEqualTo(model.size());
  }

  private long partitionLengths(Manifest manifest) {
    return manifest.partitions().stream().mapToLong(PartitionFile::length).sum();
  }

  @ParameterizedTest
  @CsvSource({
    "BLOCKED, HASH",
    "COMPACT, HASH",
    "COMPRESSED, HASH",
    "COMPRESSED_PAGES, HASH",
    "SYMBOLS, HASH",
    "BLOCKED, KEY",
    "COMPACT, KEY",
    "COMPRESSED, KEY",
    "COMPRESSED_PAGES, KEY",
  })
  void writesNothingButTheNewPartitions(Layout layout, RecordOrder order) throws IOException {
    build(layout, order);
    Compactor.Result result = new Compactor(directory, counted()).foldFraction(0).run();
    assertThat(result.foldedPartitions()).isEqualTo(2);
    assertThat(usedTemporaryDirectory).isFalse();
    assertThat(written).hasValue(partitionLengths(result.manifest()));
    requireFolded(result.manifest());
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void readsBasesHoweverTheyAreOpen(Access access) throws IOException {
    build(Layout.BLOCKED, RecordOrder.HASH);
    ReaderOptions options = ReaderOptions.builder().access(access).build();
    try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
      requireFolded(fold(reader));
    }
    assertThat(usedTemporaryDirectory).isFalse();
  }

  /** Replaces what a reader says of its partitions. */
  private static SnapshotReader with(
      SnapshotReader reader, LongUnaryOperator bytes, IORunnable afterRead) {
    return (SnapshotReader)
        Proxy.newProxyInstance(
            SnapshotReader.class.getClassLoader(),
            new Class<?>[] {SnapshotReader.class},
            (proxy, method, arguments) -> {
              Object result;
              try {
                result = method.invoke(reader, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              return result instanceof PartitionSource source
                  ? new Changed(source, bytes, afterRead)
                  : result;
            });
  }

  private record Changed(
      PartitionSource source, LongUnaryOperator changedBytes, IORunnable afterRead)
      implements PartitionSource {
    @Override
    public int partition() {
      return source.partition();
    }

    @Override
    public long maxRecords() {
      return source.maxRecords();
    }

    @Override
    public long bytes() {
      return changedBytes.applyAsLong(source.bytes());
    }

    @Override
    public long copiedBytes() {
      return source.copiedBytes();
    }

    @Override
    public boolean isWanted() {
      return source.isWanted();
    }

    @Override
    public void read(Target target) throws IOException {
      source.read(target);
      afterRead.run();
    }

    @Override
    public void requireReadable(@Nullable InternalError failure) throws IOException {
      source.requireReadable(failure);
    }
  }

  @Test
  void spillsWhatDoesNotFitTheMemory() throws IOException {
    build(Layout.BLOCKED, RecordOrder.HASH);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      requireFolded(fold(with(reader, bytes -> 1L << 40, () -> {})));
    }
    assertThat(usedTemporaryDirectory).isTrue();
  }

  @Test
  void knowsAboutHowLargeAPartitionBecomes() throws IOException {
    build(Layout.BLOCKED, RecordOrder.HASH);
    long bytes = 0;
    long records = 0;
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      for (int partition = 0; partition < 2; partition++) {
        PartitionSource source = reader.source(partition, passed -> {});
        bytes += source.bytes();
        records += source.maxRecords();
        assertThat(source.copiedBytes()).isZero();
      }
    }
    long actual =
        model.entrySet().stream()
            .mapToLong(entry -> entry.getKey().length() + entry.getValue().length())
            .sum();
    assertThat(bytes).isBetween(actual, 2 * actual);
    assertThat(records).isBetween((long) model.size(), 2L * model.size());
  }

  @Test
  void refusesWhatCannotBeReadASecondTime() throws IOException {
    build(Layout.BLOCKED, RecordOrder.HASH);
    Table table = Table.at(directory);
    String before = table.requireCurrentVersion();
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      IORunnable cut =
          () -> {
            for (PartitionFile file : reader.manifest().partitions()) {
              try (FileChannel channel =
                  FileChannel.open(
                      directory
                          .resolve(file.directory(reader.manifest().version()))
                          .resolve(file.name()),
                      StandardOpenOption.WRITE)) {
                channel.truncate(file.length() / 2);
              }
            }
          };
      SnapshotReader truncated = with(reader, bytes -> bytes, cut);
      assertThatThrownBy(() -> fold(truncated))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("part-0000");
    }
    assertThat(table.requireCurrentVersion()).isEqualTo(before);
    assertThat(directory.resolve("staging")).isEmptyDirectory();
  }
}
