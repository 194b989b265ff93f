package io.bsdb.benchmarks.micro;

import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import io.bsdb.benchmarks.Directories;
import io.bsdb.benchmarks.Workload;
import io.bsdb.format.row.RowLayout;
import io.bsdb.format.row.RowView;
import io.bsdb.format.row.RowWriter;
import io.bsdb.format.row.Schema;
import io.bsdb.reader.ReaderOptions;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
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
 * What one event costs that is enriched without a stream processor around it: the lookup of its
 * key, two fields of the row, and a new object with them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 7, time = 2)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx7g", "-XX:+AlwaysPreTouch", "-XX:+UseTransparentHugePages"})
public class EnrichmentBenchmark {
  private static final int EVENTS = 1 << 20;
  private static final int CITY = 1;
  private static final int SCORE = 2;
  private static final RowLayout ROW =
      RowLayout.ofValues(
          Schema.builder()
              .column("id", "STRING NOT NULL")
              .column("name", "STRING")
              .column("city", "STRING")
              .column("score", "INT")
              .column("token", "STRING")
              .primaryKey("id")
              .build());

  /** Where rows are. */
  public enum Table {
    BSDB,
    SPARKEY,
    /** Rows as bytes, on the heap. */
    HASH_MAP_OF_BYTES,
    /** Rows as objects, on the heap. */
    HASH_MAP_OF_OBJECTS
  }

  @Param({"BSDB", "SPARKEY", "HASH_MAP_OF_BYTES", "HASH_MAP_OF_OBJECTS"})
  public Table table;

  @Param({"1000000", "10000000"})
  public int records;

  private record Customer(String name, String city, int score, String token) {}

  /** What becomes of an event. */
  public record Enriched(long event, String city, int score) {}

  @FunctionalInterface
  private interface Rows {
    byte @Nullable [] get(byte[] key) throws IOException;
  }

  @FunctionalInterface
  private interface Join {
    Enriched enrich(long event, byte[] key) throws IOException;
  }

  private final byte[][] keys = new byte[EVENTS][];
  private final RowWriter writer = new RowWriter(ROW);
  private final RowView view = new RowView(ROW);
  private Workload workload;
  private Path directory;
  private Closeable opened;
  private Join join;
  private long next;

  @Setup
  public void build() throws IOException {
    workload = new Workload(records);
    directory = Files.createTempDirectory("bsdb-benchmark");
    opened = () -> {};
    join =
        switch (table) {
          case BSDB -> decoded(bsdb());
          case SPARKEY -> decoded(sparkey());
          case HASH_MAP_OF_BYTES -> decoded(bytes());
          case HASH_MAP_OF_OBJECTS -> objects();
        };
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < EVENTS; i++) {
      keys[i] = workload.key(random.nextInt(records));
    }
  }

  private Rows bsdb() throws IOException {
    try (SnapshotWriter snapshot = SnapshotWriter.create(directory, WriterOptions.defaults())) {
      for (int id = 0; id < records; id++) {
        snapshot.add(workload.key(id), row(id));
      }
      snapshot.publish();
    }
    SnapshotReader reader = SnapshotReader.open(directory, ReaderOptions.defaults());
    opened = reader;
    return reader::get;
  }

  private Rows sparkey() throws IOException {
    File file = directory.resolve("table.spi").toFile();
    try (SparkeyWriter log = Sparkey.createNew(file, CompressionType.NONE, 4096)) {
      for (int id = 0; id < records; id++) {
        log.put(workload.key(id), row(id));
      }
      log.flush();
      log.writeHash();
    }
    SparkeyReader reader = Sparkey.open(file);
    opened = reader;
    return reader::getAsByteArray;
  }

  private Rows bytes() {
    Map<ByteBuffer, byte[]> map = new HashMap<>((int) (records / 0.75) + 1);
    for (int id = 0; id < records; id++) {
      map.put(ByteBuffer.wrap(workload.key(id)), row(id));
    }
    return key -> map.get(ByteBuffer.wrap(key));
  }

  private Join objects() {
    Map<ByteBuffer, Customer> map = new HashMap<>((int) (records / 0.75) + 1);
    for (int id = 0; id < records; id++) {
      map.put(ByteBuffer.wrap(workload.key(id)), customer(id));
    }
    return (event, key) -> {
      Customer found = map.get(ByteBuffer.wrap(key));
      return new Enriched(event, found.city(), found.score());
    };
  }

  private Join decoded(Rows rows) {
    return (event, key) -> {
      view.wrap(rows.get(key));
      return new Enriched(event, view.stringAt(CITY), view.intAt(SCORE));
    };
  }

  /** The fields of the JSON that all benchmarks have as values. */
  private Customer customer(int id) {
    String[] parts = new String(workload.value(id), StandardCharsets.US_ASCII).split("\"", -1);
    int score = Integer.parseInt(parts[10].replaceAll("\\D", ""));
    return new Customer(parts[3], parts[7], score, parts[13]);
  }

  private byte[] row(int id) {
    Customer customer = customer(id);
    writer.reset();
    writer.setString(0, customer.name());
    writer.setString(CITY, customer.city());
    writer.setInt(SCORE, customer.score());
    writer.setString(3, customer.token());
    return writer.toBytes();
  }

  @TearDown
  public void delete() throws IOException {
    opened.close();
    Directories.delete(directory);
  }

  @Benchmark
  public Enriched enrich() throws IOException {
    long event = next++;
    return join.enrich(event, keys[(int) event & (EVENTS - 1)]);
  }
}
