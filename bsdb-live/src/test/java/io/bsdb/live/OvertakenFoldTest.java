package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.table.Table;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * After a rollback the first publication begins a line of versions of its own, in which the version
 * that is being folded is not: the fold begins again, and nobody fails for that.
 */
@Timeout(60)
class OvertakenFoldTest {
  @TempDir Path directory;

  private final CountDownLatch folding = new CountDownLatch(1);
  private final CountDownLatch published = new CountDownLatch(1);

  @BeforeEach
  void rollBack() throws IOException {
    Records.of("base", "base").publish(directory, WriterOptions.builder().partitions(2).build());
    for (int version = 0; version < 2; version++) {
      String value = "delta" + version;
      Records.numbered(10, i -> "key" + i, i -> value).change(Table.at(directory));
    }
    Table.at(directory).rollback(Table.at(directory).versions().get(1));
  }

  private TableStorage storage(Path path) {
    return CrashingTable.of(path, this::before);
  }

  /** Holds up the first file of a fold. */
  private void before(String operation, String name) throws IOException {
    if (operation.equals("create") && name.endsWith(".bsdb")) {
      folding.countDown();
      try {
        published.await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }
  }

  private WritableTable openAndOvertake() throws Exception {
    WritableTable table =
        LiveTable.open(
            directory,
            WritableOptions.defaults().withMaxChangedKeys(8),
            new LiveTable.Place(
                LogDirectory::new, this::storage, 1 << 14, LiveTable.PUBLISHED_SEGMENTS));
    folding.await();
    WriteBatch batch = new WriteBatch();
    for (int i = 10; i < 20; i++) {
      batch.put(bytes("key" + i), bytes("new"));
    }
    table.write(batch);
    table.publish();
    assertThat(table.stats().upkeep().load()).isGreaterThanOrEqualTo(Backpressure.FULL);
    published.countDown();
    return table;
  }

  private static void check(WritableTable table) throws IOException {
    assertThat(table.stats().upkeep().failure()).isNull();
    assertThat(table.get(bytes("base"))).isEqualTo(bytes("base"));
    assertThat(table.get(bytes("key9"))).isEqualTo(bytes("delta0"));
    assertThat(table.get(bytes("key19"))).isEqualTo(bytes("new"));
  }

  @Test
  void writersWaitForTheNext() throws Exception {
    try (WritableTable table = openAndOvertake()) {
      table.put(bytes("key20"), bytes("new"));
      check(table);
    }
  }

  @Test
  void aCompactionThatIsAskedForDoesAll() throws Exception {
    try (WritableTable table = openAndOvertake()) {
      table.compact();
      assertThat(table.stats().disk().changeBytes()).isZero();
      check(table);
    }
  }
}
