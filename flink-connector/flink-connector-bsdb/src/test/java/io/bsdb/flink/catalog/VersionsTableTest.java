package io.bsdb.flink.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionsTableTest {
  private static final byte[] ROW = {1};

  @TempDir Path directory;

  private void publish() throws Exception {
    Records.empty().add(ROW, ROW).publish(directory, WriterOptions.defaults());
  }

  /** Where there are many versions, a stream's job deletes some while they are listed. */
  @Test
  void leavesOutAVersionThatIsDeletedMeanwhile() throws Exception {
    publish();
    publish();
    Table table = Table.at(directory);
    String old = table.versions().get(0);
    String current = table.requireCurrentVersion();

    assertThat(VersionsTable.rows(Table.of(deletingAtRead(table.storage(), old))))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.getString(0)).isEqualTo(StringData.fromString(current));
              assertThat(row.getBoolean(9)).isTrue();
            });
  }

  /** A storage that deletes a version when a file of it is read. */
  private static TableStorage deletingAtRead(TableStorage storage, String version) {
    String directory = Table.directory(version);
    return (TableStorage)
        Proxy.newProxyInstance(
            TableStorage.class.getClassLoader(),
            new Class<?>[] {TableStorage.class},
            (proxy, method, arguments) -> {
              if (Set.of("open", "read").contains(method.getName())
                  && String.valueOf(arguments[0]).startsWith(directory)) {
                storage.delete(directory);
              }
              try {
                return method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw Objects.requireNonNull(e.getCause());
              }
            });
  }
}
