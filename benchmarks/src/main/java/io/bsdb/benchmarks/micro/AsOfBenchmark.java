package io.bsdb.benchmarks.micro;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.Nearest;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What was valid at a time, in a mapped table of ten rows per item: a floor in a table in key order
 * beside one in a table with a history, in which each tenth row is ended.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 7, time = 2)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
public class AsOfBenchmark {
  private static final int VERSIONS = 10;
  private static final int QUERIES = 1 << 16;
  private static final Schema SCHEMA =
      Schema.builder()
          .column("item", "STRING NOT NULL")
          .column("valid_from", "TIMESTAMP_LTZ(3) NOT NULL")
          .column("price", "BIGINT")
          .primaryKey("item", "valid_from")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  /** Number of items. */
  @Param({"1000", "100000"})
  public int items;

  private final String[] asked = new String[QUERIES];
  private final Instant[] times = new Instant[QUERIES];
  private final KeyWriter key = KeyWriter.of(SCHEMA);
  private Path directory;
  private SnapshotReader ordered;
  private SnapshotReader history;
  private int next;

  @Setup
  public void build() throws IOException {
    directory = Files.createTempDirectory("as-of");
    WriterOptions.Builder options = WriterOptions.builder().schema(SCHEMA);
    ordered = open("ordered", options.order(RecordOrder.KEY).build());
    history = open("history", options.history(null).build());
    Random random = new Random(1);
    for (int i = 0; i < QUERIES; i++) {
      asked[i] = item(random.nextInt(items));
      times[i] = Instant.ofEpochMilli(1_000 + random.nextInt(VERSIONS * 1_000));
    }
  }

  private SnapshotReader open(String name, WriterOptions options) throws IOException {
    RowCodec codec = RowCodec.of(SCHEMA);
    Path table = directory.resolve(name);
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (int i = 0; i < items; i++) {
        for (int version = 1; version <= VERSIONS; version++) {
          byte[] row =
              options.validity() != null && version == VERSIONS
                  ? RowWriter.ended()
                  : codec.encodeValue((long) version);
          writer.add(codec.encodeKey(item(i), Instant.ofEpochMilli(version * 1_000L)), row);
        }
      }
      writer.publish();
    }
    return SnapshotReader.open(table);
  }

  private static String item(int number) {
    return "item-" + number * 7_919L;
  }

  @TearDown
  public void delete() throws IOException {
    ordered.close();
    history.close();
    Directories.delete(directory);
  }

  private int next() {
    next = (next + 1) & (QUERIES - 1);
    return next;
  }

  /** Finds the floor of a key, in a table without a history. */
  @Benchmark
  public @Nullable KeyValue floor() throws IOException {
    int query = next();
    byte[] bytes =
        key.reset()
            .writeString(asked[query])
            .writeTimestamp(times[query].toEpochMilli(), 0)
            .toBytes();
    return Nearest.FLOOR.find(ordered, bytes);
  }

  /** Finds the row that was valid. */
  @Benchmark
  public @Nullable KeyValue asOf() throws IOException {
    int query = next();
    byte[] prefix = key.reset().writeString(asked[query]).toPrefix();
    return history.ordered().asOf(prefix, times[query]);
  }
}
