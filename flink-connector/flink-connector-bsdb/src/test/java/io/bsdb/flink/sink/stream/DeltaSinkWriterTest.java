package io.bsdb.flink.sink.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a writer appends of the changes that come to it. */
class DeltaSinkWriterTest {
  private static final SinkWriter.Context CONTEXT =
      new SinkWriter.Context() {
        @Override
        public long currentWatermark() {
          return 0;
        }

        @Override
        public @Nullable Long timestamp() {
          return null;
        }
      };

  @TempDir Path directory;

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static long number(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }

  @Test
  void writesTheLastChangeOfAKeyPerCheckpoint() throws Exception {
    try (DeltaSinkWriter writer = new DeltaSinkWriter(Table.at(directory).storage())) {
      for (long n = 0; n < 40_000; n++) {
        writer.write(Change.put(bytes(n % 500), new byte[100]), CONTEXT);
      }
      List<SegmentFile> first = writer.prepareCommit();
      writer.write(Change.delete(bytes(1)), CONTEXT);
      writer.write(Change.put(bytes(2), bytes(2)), CONTEXT);
      writer.write(Change.delete(bytes(2)), CONTEXT);
      List<SegmentFile> second = writer.prepareCommit();

      assertThat(first).singleElement().extracting(SegmentFile::puts).isEqualTo(500L);
      assertThat(first.get(0).length()).isBetween(500 * 108L, 500 * 125L);
      assertThat(second).singleElement().extracting(SegmentFile::puts).isEqualTo(0L);
      assertThat(second).singleElement().extracting(SegmentFile::deletes).isEqualTo(2L);
      assertThat(writer.prepareCommit()).isEmpty();
    }
  }

  /** Keys that change often are written once though others do not fit the memory. */
  @Test
  void keepsWhatChangesOftenInMemory() throws Exception {
    int entries = 64;
    try (DeltaSinkWriter writer =
        new DeltaSinkWriter(
            Table.at(directory).storage(), entries * (LastChanges.ENTRY_BYTES + 2 * Long.BYTES))) {
      for (long n = 0; n < 10_000; n++) {
        writer.write(Change.put(bytes(n % 32), bytes(n)), CONTEXT);
        writer.write(Change.put(bytes(1000 + n), bytes(n)), CONTEXT);
      }
      long puts = writer.prepareCommit().stream().mapToLong(SegmentFile::puts).sum();

      assertThat(puts).isEqualTo(10_000 + 32);
    }
  }

  /** Flink ends a task manager with a task that has failed and cannot be closed. */
  @Test
  void closesThoughItsSegmentCannotBeDeleted() throws Exception {
    List<String> deleted = new ArrayList<>();
    TableStorage storage =
        new FaultyStorage(
            Table.at(directory).storage(),
            (operation, path) -> {
              if (operation.equals("delete")) {
                deleted.add(path);
                throw new IOException("injected");
              }
            });
    try (DeltaSinkWriter writer = new DeltaSinkWriter(storage, 0)) {
      writer.write(Change.put(bytes(1), bytes(1)), CONTEXT);
    }

    assertThat(deleted).singleElement().asString().endsWith(".seg");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3_000, LastChanges.MAX_BYTES})
  void leavesWhatAModelHas(int maxBytes) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Table table = Table.at(directory);
    SnapshotPublisher.publishEmpty(table, 4, WriterOptions.defaults());
    Map<Long, Long> model = new HashMap<>();
    try (DeltaSinkWriter writer = new DeltaSinkWriter(table.storage(), maxBytes)) {
      for (int checkpoint = 0; checkpoint < 5; checkpoint++) {
        for (long n = random.nextInt(300); n > 0; n--) {
          long key = (long) Math.abs(random.nextGaussian() * 20);
          if (random.nextInt(3) == 0) {
            writer.write(Change.delete(bytes(key)), CONTEXT);
            model.remove(key);
          } else {
            long value = random.nextLong();
            writer.write(Change.put(bytes(key), bytes(value)), CONTEXT);
            model.put(key, value);
          }
        }
        try (DeltaWriter delta = DeltaWriter.create(table)) {
          writer.prepareCommit().forEach(delta::segment);
          delta.publish();
        }
      }
    }

    Map<Long, Long> rows = new HashMap<>();
    try (SnapshotReader reader = SnapshotReader.open(directory);
        RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        rows.put(number(cursor.key()), number(cursor.value()));
      }
    }
    assertThat(rows).as("seed=%d", seed).isEqualTo(model);
  }
}
