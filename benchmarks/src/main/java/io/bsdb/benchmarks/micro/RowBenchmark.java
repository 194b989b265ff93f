package io.bsdb.benchmarks.micro;

import io.bsdb.format.row.RowCodec;
import io.bsdb.format.row.RowLayout;
import io.bsdb.format.row.RowView;
import io.bsdb.format.row.RowWriter;
import io.bsdb.format.row.Schema;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Time to write and to read a row of eight columns. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class RowBenchmark {
  private static final Schema SCHEMA =
      Schema.builder()
          .column("id", "BIGINT NOT NULL")
          .column("name", "STRING")
          .column("city", "STRING")
          .column("score", "INT")
          .column("balance", "DECIMAL(12, 2)")
          .column("active", "BOOLEAN")
          .column("seen", "TIMESTAMP(3)")
          .column("weight", "DOUBLE")
          .primaryKey("id")
          .build();

  private final RowLayout layout = RowLayout.ofValues(SCHEMA);
  private final RowWriter writer = new RowWriter(layout);
  private final RowView view = new RowView(layout);
  private final RowCodec codec = RowCodec.of(SCHEMA);
  private byte[] key;
  private byte[] row;

  @Setup
  public void fill() {
    key = codec.encodeKey(42L);
    row = write();
  }

  @Benchmark
  public byte[] write() {
    writer.reset();
    writer.setString(0, "Ada Lovelace");
    writer.setString(1, "Zurich");
    writer.setInt(2, 815);
    writer.setUnscaled(3, 123_456);
    writer.setBoolean(4, true);
    writer.setTimestamp(5, 1_790_000_000_000L, 0);
    writer.setDouble(6, 61.5);
    return writer.toBytes();
  }

  /** One number and a slice of a string, as a join that needs two columns does. */
  @Benchmark
  public long twoFields() {
    view.wrap(row);
    return view.intAt(2) + view.sliceAt(1);
  }

  /** All columns as Java objects. */
  @Benchmark
  public Object[] decodeAll() {
    var decoded = codec.decode(key, row);
    Object[] values = new Object[SCHEMA.columns().size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = decoded.value(SCHEMA.columns().get(i).name());
    }
    return values;
  }
}
