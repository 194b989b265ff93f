package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.reader.io.HugeMemory;
import io.bsdb.table.Table;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A fold ends while changes are published, and its refresh takes both versions. */
@Tag("optimized")
class GrownChangesTest {
  private static final int KEYS = 2000;

  @TempDir Path directory;

  private final CountDownLatch folded = new CountDownLatch(1);
  private final CountDownLatch published = new CountDownLatch(1);
  private final CountDownLatch refreshed = new CountDownLatch(1);
  private final AtomicBoolean armed = new AtomicBoolean();
  private final AtomicBoolean publishing = new AtomicBoolean();

  /** Holds both threads up after their edits. */
  private void edited() throws InterruptedException {
    if (Thread.currentThread().getName().equals("folder") && armed.getAndSet(false)) {
      folded.countDown();
      published.await();
    } else if (publishing.getAndSet(false)) {
      published.countDown();
      refreshed.await();
    }
  }

  private TableStorage storage(Path root) {
    TableStorage files = Table.at(root).storage();
    return (TableStorage)
        Proxy.newProxyInstance(
            TableStorage.class.getClassLoader(),
            new Class<?>[] {TableStorage.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(files, arguments);
                if (method.getName().equals("exclusively")) {
                  edited();
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  @Timeout(120)
  void aLogsIndexIsNotReadAfterItIsFreed() throws Exception {
    Path path = directory.resolve("table");
    Records.numbered(KEYS, i -> "key" + i, i -> "base" + i)
        .publish(path, WriterOptions.builder().partitions(4).build());
    ExecutorService folder = Executors.newSingleThreadExecutor(task -> new Thread(task, "folder"));
    try (WritableTable table =
        LiveTable.open(
            path,
            WritableOptions.defaults(),
            new LiveTable.Place(
                LogDirectory::new, this::storage, 1 << 20, LiveTable.Place.WHEN_ASKED))) {
      table.put(bytes("key0"), bytes("changed")); // of one partition, so that one step folds it
      table.publish();
      armed.set(true);
      CompletableFuture<Void> fold =
          CompletableFuture.runAsync(
              () -> {
                try {
                  table.compact();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                } finally {
                  refreshed.countDown();
                }
              },
              folder);
      folded.await();
      for (int i = 0; i < KEYS; i++) {
        table.put(bytes("key" + i), bytes("value" + i));
      }
      long open = 64 + 4; // of the log, and of the version
      Watchdog.await(() -> HugeMemory.openCount() <= open); // parts of the index have grown
      publishing.set(true);
      table.publish();
      fold.join();
      Watchdog.await(() -> HugeMemory.openCount() <= open); // the index of what is published goes
      HugeMemory[] others = new HugeMemory[64]; // somebody else uses the memory
      for (int i = 0; i < others.length; i++) {
        others[i] = HugeMemory.allocate(1 << 12);
        others[i].buffer(0, 1 << 12).put(new byte[1 << 12]).clear();
        for (int at = 0; at < 1 << 12; at += 8) {
          others[i].buffer(0, 1 << 12).putLong(at, 0x0123456789ABCDEFL);
        }
      }
      table.compact(); // the version after each step is opened from the one before
      for (int i = 0; i < KEYS; i++) {
        assertThat(table.get(bytes("key" + i))).isEqualTo(bytes("value" + i));
      }
      for (HugeMemory other : others) {
        other.free();
      }
    } finally {
      folder.shutdown();
    }
  }
}
