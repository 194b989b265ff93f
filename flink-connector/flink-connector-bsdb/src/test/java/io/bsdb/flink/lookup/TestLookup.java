package io.bsdb.flink.lookup;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.jspecify.annotations.Nullable;

/** Lookups of values by text keys, with as little else said as can be. */
public final class TestLookup {
  public static final VarCharType STRING = new VarCharType(VarCharType.MAX_LENGTH);

  /** A refresh interval that no test lives to see. */
  static final Duration RARELY = Duration.ofDays(1000);

  private TestLookup() {}

  /** The table {@code d} of a key {@code k} and a value {@code v}. */
  public static DeclaredTable table(Path directory, LogicalType value) {
    return new DeclaredTable(
        "d",
        directory.toString(),
        RowType.of(new LogicalType[] {STRING.copy(false), value}, new String[] {"k", "v"}),
        List.of("k"));
  }

  /**
   * How tests read tables.
   *
   * @param localDirectory for copies; null: read in place
   */
  public static ReadSettings settings(
      Access access, Duration refreshInterval, @Nullable Path localDirectory) {
    return new ReadSettings(
        ReaderOptions.builder().access(access).build().toMap(),
        refreshInterval,
        null,
        localDirectory == null ? null : localDirectory.toString(),
        Long.MAX_VALUE);
  }

  static LookupSpec spec(
      DeclaredTable table, Access access, Duration refreshInterval, InputShuffle shuffle) {
    return new LookupSpec(
        table,
        settings(access, refreshInterval, null),
        Projection.all(table),
        List.of(0),
        shuffle,
        10,
        AsOfSettings.NONE);
  }

  /** Of a value of text, without refreshes by itself. */
  static LookupSpec spec(Path directory, Access access, InputShuffle shuffle) {
    return spec(table(directory, STRING), access, RARELY, shuffle);
  }
}
