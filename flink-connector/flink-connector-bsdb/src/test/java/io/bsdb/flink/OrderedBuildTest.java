package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.SnapshotVerifier;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.api.common.BatchShuffleMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.JobManagerOptions.SchedulerType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables in key order that several writers build. */
@Timeout(120)
@ExtendWith(SharedCluster.class)
class OrderedBuildTest {
  /** A prime, so that its multiples of another one are in no order. */
  private static final int ROWS = 10_007;

  private static final int WRITERS = 4;

  /** Together more than the network buffers between two tasks take. */
  private static final int TEXT_LENGTH = 1_000;

  @TempDir Path directory;

  private String ddl(String columns, String options) {
    return """
        CREATE TABLE t (%s, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.order' = 'key', 'sink.parallelism' = '%d'%s)"""
        .formatted(columns, directory.resolve("t"), WRITERS, options);
  }

  private Sql open(String options) throws Exception {
    return Sql.batch(WRITERS)
        .numbers("s", ROWS)
        .run(ddl("id BIGINT, name STRING", ", 'sink.partitions' = '8'" + options));
  }

  private Manifest current() throws IOException {
    Table table = Table.at(directory.resolve("t"));
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    SnapshotVerifier.verify(directory.resolve("t/snapshots").resolve(manifest.version()));
    return manifest;
  }

  /** The subtask that wrote a file, by the file's name. */
  private static int writer(PartitionFile file) {
    return Integer.parseInt(file.name().replaceAll("part-[0-9]{5}-([0-9]+)-.*", "$1"));
  }

  private static List<String> records(Path table) throws IOException {
    List<String> records = new ArrayList<>();
    try (SnapshotReader reader = SnapshotReader.open(table);
        RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        records.add(
            HexFormat.of().formatHex(cursor.key()) + HexFormat.of().formatHex(cursor.value()));
      }
    }
    return records;
  }

  private List<String> recordsOfLibrary(Schema schema) throws IOException {
    RowCodec codec = RowCodec.of(schema);
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).schema(schema).build();
    Path table = directory.resolve("library");
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (long id = 0; id < ROWS; id++) {
        writer.add(codec.encodeKey(id - 5_000), codec.encodeValue("x".repeat(TEXT_LENGTH) + id));
      }
      writer.publish();
    }
    return records(table);
  }

  /** Also where exchanges are not kept by themselves, and the ranges could wait for their input. */
  @ParameterizedTest
  @CsvSource({"ALL_EXCHANGES_BLOCKING, AdaptiveBatch", "ALL_EXCHANGES_PIPELINED, Default"})
  void everyWriterBuildsItsRangesOfKeys(BatchShuffleMode exchanges, SchedulerType scheduler)
      throws Exception {
    Sql session = open("");
    session.env.configure(
        new Configuration()
            .set(ExecutionOptions.BATCH_SHUFFLE_MODE, exchanges)
            .set(JobManagerOptions.SCHEDULER, scheduler));
    session.run(
        "INSERT OVERWRITE t SELECT id - 5000, REPEAT('x', %d) || CAST(id AS STRING) FROM (SELECT MOD(f0 * 7919, %d) AS id FROM s)"
            .formatted(TEXT_LENGTH, ROWS));

    List<PartitionFile> files = current().partitions();
    assertThat(files).extracting(OrderedBuildTest::writer).containsExactly(0, 0, 1, 1, 2, 2, 3, 3);
    assertThat(files)
        .extracting(PartitionFile::recordCount)
        .allSatisfy(count -> assertThat(count).isBetween(ROWS / 8 / 2, ROWS / 8 * 2));
    assertThat(records(directory.resolve("t")))
        .isEqualTo(recordsOfLibrary(current().schema()))
        .isSorted()
        .hasSize(ROWS);
    assertThat(session.texts("SELECT COUNT(*), MIN(id), MAX(id) FROM t WHERE id BETWEEN -7 AND 7"))
        .containsExactly("+I[15, -7, 7]");
  }

  @Test
  void oneFrequentKeyIsRefusedOrKeptOnce() throws Exception {
    String rows = "SELECT IF(MOD(f0, 10) > 0, 42, f0), 'x' FROM s";

    assertThatThrownBy(() -> open("").run("INSERT OVERWRITE t " + rows))
        .hasStackTraceContaining(
            "two rows have the same primary key: table=default_catalog.default_database.t key={\"id\": 42}");

    open(", 'sink.duplicates' = 'last'").run("INSERT OVERWRITE t " + rows);
    assertThat(current().recordCount()).isEqualTo((ROWS + 9) / 10 + 1);
    assertThat(current().partitions()).hasSizeLessThanOrEqualTo(8);
    assertThat(records(directory.resolve("t"))).isSorted();
  }

  /** Rows of one task stay in order on their way. */
  @ParameterizedTest
  @CsvSource({"first, 0", "last, 999"})
  void keepsTheFirstOrLastOfDuplicates(String which, long kept) throws Exception {
    Sql session = open(", 'sink.duplicates' = '%s'".formatted(which));
    session.tables.createTemporaryView(
        "oneTask", session.env.fromSequence(0, 3_999).setParallelism(1));
    session.run("INSERT OVERWRITE t SELECT f0 / 1000, CAST(MOD(f0, 1000) AS STRING) FROM oneTask");

    assertThat(session.texts("SELECT id, name FROM t"))
        .containsExactlyElementsOf(
            LongStream.range(0, 4).mapToObj(id -> "+I[%d, %d]".formatted(id, kept)).toList());
  }

  @Test
  void fewKeysAreSpreadOverTheWriters() throws Exception {
    open("").run("INSERT OVERWRITE t SELECT f0, 'x' FROM s WHERE f0 < 4");

    assertThat(current().partitions()).hasSize(4);
    assertThat(current().partitions())
        .extracting(OrderedBuildTest::writer)
        .containsExactly(0, 1, 2, 3);
  }

  @Test
  void anEmptyInputIsAnEmptyTable() throws Exception {
    open(", 'sink.min-rows' = '0'").run("INSERT OVERWRITE t SELECT f0, 'x' FROM s WHERE f0 < 0");

    assertThat(current().recordCount()).isZero();
    assertThat(current().partitions()).hasSize(1);
    assertThat(current().order()).isEqualTo(RecordOrder.KEY);
  }

  @Test
  void longKeysThatShareNearlyAllBytes() throws Exception {
    Sql.batch(WRITERS)
        .numbers("s", 40)
        .run(ddl("id STRING, n BIGINT", ", 'sink.partitions' = '4'"))
        .run("INSERT OVERWRITE t SELECT REPEAT('x', 65533) || CAST(f0 + 10 AS STRING), f0 FROM s");

    List<PartitionFile> files = current().partitions();
    assertThat(files).extracting(OrderedBuildTest::writer).containsExactly(0, 1, 2, 3);
    assertThat(files)
        .extracting(PartitionFile::recordCount)
        .allSatisfy(count -> assertThat(count).isBetween(5, 20));
    assertThat(records(directory.resolve("t"))).isSorted().hasSize(40);
  }

  @Test
  void nullInTheKeyFailsTheBuild() throws Exception {
    assertThatThrownBy(() -> open("").run("INSERT OVERWRITE t SELECT NULLIF(f0, 7), 'x' FROM s"))
        .hasStackTraceContaining("Column 'id' is NOT NULL");
    assertThat(Table.at(directory.resolve("t")).currentVersion()).isNull();
  }
}
