package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.RecordEncoder;
import io.bsdb.reader.options.Access;
import io.bsdb.table.Table;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SnapshotLookupFunctionTest {
  private static final Duration OFTEN = Duration.ofMillis(2);

  @TempDir Path directory;
  private final List<SnapshotLookupFunction> functions = new ArrayList<>();

  @AfterEach
  void closesReaders() throws Exception {
    for (SnapshotLookupFunction function : functions) {
      function.close();
    }
    assertThat(SharedSnapshots.shares()).isEmpty();
  }

  private DeclaredTable table(LogicalType valueType) {
    return TestLookup.table(directory, valueType);
  }

  private void publish(LogicalType valueType, Object value) throws IOException {
    publish(valueType, value, value);
  }

  private void publish(LogicalType valueType, Object valueOfA, Object valueOfB) throws IOException {
    DeclaredTable table = table(valueType);
    RecordEncoder encoder = new RecordEncoder(table);
    WriterOptions options = WriterOptions.builder().schema(table.schema()).partitions(1).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (String key : List.of("a", "b")) {
        RowData row =
            GenericRowData.of(StringData.fromString(key), key.equals("a") ? valueOfA : valueOfB);
        writer.add(encoder.key(row), encoder.value(row));
      }
      writer.publish();
    }
  }

  private SnapshotLookupFunction function(LogicalType valueType, Duration refreshInterval) {
    return new SnapshotLookupFunction(
        TestLookup.spec(table(valueType), Access.MAPPED, refreshInterval, InputShuffle.NONE));
  }

  private SnapshotLookupFunction open(SnapshotLookupFunction function) throws Exception {
    function.open(new FunctionContext(null));
    functions.add(function);
    return function;
  }

  private static Collection<RowData> lookup(SnapshotLookupFunction function, String key)
      throws IOException {
    return function.lookup(GenericRowData.of(StringData.fromString(key)));
  }

  private static Object value(SnapshotLookupFunction function) throws IOException {
    RowData row = lookup(function, "a").iterator().next();
    return row.getInt(1);
  }

  @Test
  @Timeout(60)
  void followsTheTableWithoutBeingOpenedAgain() throws Exception {
    publish(new IntType(), 1);
    SnapshotLookupFunction function = open(function(new IntType(), OFTEN));
    assertThat(value(function)).isEqualTo(1);

    publish(new IntType(), 2);

    Await.until(() -> !value(function).equals(1));
    assertThat(value(function)).isEqualTo(2);
  }

  @Test
  void staysWithItsVersionWhenNotToRefresh() throws Exception {
    publish(new IntType(), 1);
    SnapshotLookupFunction function = open(function(new IntType(), Duration.ZERO));

    publish(new IntType(), 2);

    assertThat(value(function)).isEqualTo(1);
    assertThat(value(open(function(new IntType(), Duration.ZERO)))).isEqualTo(2);
    assertThat(value(function)).isEqualTo(1);
  }

  @Test
  @Timeout(60)
  void keepsItsVersionWhenTheNextOneIsDamaged() throws Exception {
    publish(new IntType(), 1);
    SnapshotLookupFunction function = open(function(new IntType(), OFTEN));
    String healthy = Table.at(directory).requireCurrentVersion();

    Path damaged = Files.createDirectory(directory.resolve("snapshots/0000000007-0a0b0c0d"));
    Files.writeString(damaged.resolve("manifest.json"), "{}");
    Files.writeString(directory.resolve("CURRENT"), "0000000007-0a0b0c0d\n");
    Await.until(() -> OpenReaders.failedRefreshes() != 0);
    assertThat(value(function)).isEqualTo(1);

    Files.writeString(directory.resolve("CURRENT"), healthy + "\n");
    publish(new IntType(), 2);
    Await.until(() -> !value(function).equals(1));
    assertThat(value(function)).isEqualTo(2);
  }

  @Test
  @Timeout(60)
  void keepsItsVersionWhenTheNextOneHasAnotherSchema() throws Exception {
    publish(new IntType(), 1);
    SnapshotLookupFunction function = open(function(new IntType(), OFTEN));

    publish(TestLookup.STRING, StringData.fromString("x"));
    String other = Table.at(directory).requireCurrentVersion();
    Await.until(() -> OpenReaders.versions().contains(other));
    assertThat(value(function)).isEqualTo(1);
    assertThat(value(function)).isEqualTo(1);
    assertThatThrownBy(() -> open(function(new IntType(), OFTEN)))
        .hasMessageContaining("column 'v': snapshot has STRING, DDL declares INT");

    publish(new IntType(), 2);
    Await.until(() -> !value(function).equals(1));
    assertThat(value(function)).isEqualTo(2);
  }

  @Test
  void sharesOneReaderPerTableAndSettings() throws Exception {
    publish(new IntType(), 1);
    SnapshotLookupFunction first = open(function(new IntType(), OFTEN));
    SnapshotLookupFunction second = open(function(new IntType(), OFTEN));
    assertThat(SharedSnapshots.shares()).hasSize(1);
    open(function(new IntType(), Duration.ZERO));
    assertThat(SharedSnapshots.shares()).hasSize(2);

    first.close();
    first.close();

    assertThat(SharedSnapshots.shares()).hasSize(2);
    assertThat(value(second)).isEqualTo(1);
  }

  @Test
  void opensAndClosesConcurrently() throws Exception {
    publish(new IntType(), 1);
    ThreadFactory named = task -> new Thread(task, "user");
    ExecutorService executor = Executors.newFixedThreadPool(8, named);
    try {
      Callable<Object> use =
          () -> {
            for (int i = 0; i < 50; i++) {
              SnapshotLookupFunction function = function(new IntType(), OFTEN);
              function.open(new FunctionContext(null));
              assertThat(value(function)).isEqualTo(1);
              function.close();
            }
            return "done";
          };
      for (Future<Object> user :
          executor.invokeAll(List.of(use, use, use, use, use, use, use, use))) {
        assertThat(user.get()).isEqualTo("done");
      }
    } finally {
      executor.shutdown();
    }
  }

  @Test
  void leavesNothingOpenWhenTheTableIsMissing() {
    assertThatThrownBy(() -> open(function(new IntType(), OFTEN)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("table d cannot be opened: path=" + directory);
  }

  @Test
  void rowsOutliveTheReader() throws Exception {
    publish(TestLookup.STRING, StringData.fromString("ünchanged"), StringData.fromString("other"));
    SnapshotLookupFunction function = open(function(TestLookup.STRING, OFTEN));
    RowData a = lookup(function, "a").iterator().next();
    RowData b = lookup(function, "b").iterator().next();
    function.close();

    assertThat(a.getString(0)).hasToString("a");
    assertThat(b.getString(0)).hasToString("b");
    assertThat(a.getString(1)).hasToString("ünchanged");
    assertThat(b.getString(1)).hasToString("other");
  }

  @Test
  void rowsOutliveTheirVersion() throws Exception {
    publish(TestLookup.STRING, StringData.fromString("old"));
    SnapshotLookupFunction function = open(function(TestLookup.STRING, TestLookup.RARELY));
    RowData kept = lookup(function, "a").iterator().next();

    publish(TestLookup.STRING, StringData.fromString("new"));
    SharedSnapshots.open().get(0).refresh();
    RowData next = lookup(function, "a").iterator().next();

    assertThat(kept.getString(1)).hasToString("old");
    assertThat(next.getString(1)).hasToString("new");
  }

  @Test
  void keysThatNoTableHoldsAreAbsent() throws Exception {
    publish(new IntType(), 1);
    SnapshotLookupFunction function = open(function(new IntType(), OFTEN));

    assertThat(lookup(function, "")).isEmpty();
    assertThat(lookup(function, "x".repeat(70_000))).isEmpty();
    assertThat(lookup(function, "c")).isEmpty();
    assertThat(function.lookup(GenericRowData.of((Object) null))).isEmpty();
  }

  @Test
  void readsTablesOfPlainBytes() throws Exception {
    WriterOptions options = WriterOptions.builder().partitions(1).build();
    Records.of("a", "value", "b", "").publish(directory, options);
    SnapshotLookupFunction strings = open(function(TestLookup.STRING, OFTEN));
    SnapshotLookupFunction bytes =
        open(function(new VarBinaryType(VarBinaryType.MAX_LENGTH), OFTEN));

    assertThat(lookup(strings, "a").iterator().next().getString(1)).hasToString("value");
    assertThat(lookup(strings, "b").iterator().next().getString(1)).hasToString("");
    assertThat(lookup(bytes, "a").iterator().next().getBinary(1)).asString().isEqualTo("value");
    assertThatThrownBy(() -> open(function(new IntType(), OFTEN)))
        .hasMessageContaining(
            "the snapshot was built from plain bytes, without a schema: DDL must declare one column of type BYTES or STRING beside the primary key");
  }
}
