package io.bsdb.reader.follow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A writable table keeps old versions by weight: one may go while it is opened. */
class VersionGoneTest {
  @TempDir private Path directory;
  @TempDir private Path copies;

  private final AtomicBoolean armed = new AtomicBoolean();

  private void build(String value) throws IOException {
    Records.of("key", value).publish(directory, WriterOptions.defaults());
  }

  /** Replaces the version in service, and deletes it, when the first of its files is opened. */
  private Table table() {
    TableStorage files = Table.at(directory).storage();
    return Table.of(
        (TableStorage)
            Proxy.newProxyInstance(
                TableStorage.class.getClassLoader(),
                new Class<?>[] {TableStorage.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("open")
                      && String.valueOf(arguments[0]).endsWith(".bsdb")
                      && armed.getAndSet(false)) {
                    build("third");
                    Table.at(directory).prune(1);
                  }
                  try {
                    return method.invoke(files, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                }));
  }

  @Test
  void theNextOneIsOpened() throws IOException {
    build("first");
    try (TableReader reader =
        TableReader.builder(table()).localDirectory(copies).refreshEvery(Duration.ZERO).open()) {
      build("second");
      armed.set(true);
      assertThat(reader.refresh()).isTrue();
      assertThat(reader.get("key".getBytes(UTF_8))).isEqualTo("third".getBytes(UTF_8));
    }
  }

  @Test
  void theNextOneIsOpenedFirst() throws IOException {
    build("second");
    armed.set(true);
    try (TableReader reader =
        TableReader.builder(table()).localDirectory(copies).refreshEvery(Duration.ZERO).open()) {
      assertThat(reader.get("key".getBytes(UTF_8))).isEqualTo("third".getBytes(UTF_8));
    }
  }
}
