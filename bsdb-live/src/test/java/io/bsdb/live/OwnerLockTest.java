package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.io.IORunnable;
import io.bsdb.table.Table;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing that the owning process does gives its table to another process. */
class OwnerLockTest {
  private static final int REFUSED = 17;

  @TempDir Path directory;

  private interface Use {
    void of(Path table) throws IOException;
  }

  /** Opens a table that another process has. */
  static final class Opens {
    private Opens() {}

    public static void main(String[] arguments) throws IOException {
      try (WritableTable table =
          WritableTable.open(Path.of(arguments[0]), WritableOptions.defaults())) {
        table.put(new byte[] {1}, new byte[] {2});
      } catch (IOException e) {
        System.exit(e.getMessage().contains("open for writing") ? REFUSED : 1);
      }
    }
  }

  private void keepsTheTable(Use use) throws Exception {
    try (WritableTable table = WritableTable.open(directory, WritableOptions.defaults())) {
      table.put("key".getBytes(StandardCharsets.UTF_8), new byte[1]);
      use.of(directory);
      Process other = ChildProcess.start(Opens.class, directory.toString());
      assertThat(other.waitFor()).isEqualTo(REFUSED);
    }
  }

  @Test
  void withoutFurtherUse() throws Exception {
    keepsTheTable(table -> {});
  }

  @Test
  void withAFollowerInTheSameProcess() throws Exception {
    keepsTheTable(table -> ChangeReader.from(table, "cache", LogPosition.START).close());
  }

  /** A copy of hard links, as {@code cp -al} makes, and a bind mount have the same owner's file. */
  @Test
  void withACopyOfHardLinksOpenedInTheSameProcess(@TempDir Path copy) throws Exception {
    keepsTheTable(
        table -> {
          Path log = Files.createDirectory(copy.resolve("log"));
          Files.createLink(log.resolve("OWNER"), table.resolve("log/OWNER"));
          assertThatThrownBy(() -> WritableTable.open(copy, WritableOptions.defaults()))
              .isInstanceOf(IOException.class)
              .hasMessageStartingWith("table is open for writing in this process");
          LogReport.read(copy);
        });
  }

  private static URLClassLoader anotherLoader() throws IOException {
    List<URL> classes = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      classes.add(new File(entry).toURI().toURL());
    }
    return new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  @Test
  void withClassesOfAnotherLoaderInTheSameProcess() throws Exception {
    try (URLClassLoader other = anotherLoader()) {
      Method open = other.loadClass(WritableTable.class.getName()).getMethod("open", Path.class);
      Method report = other.loadClass(LogReport.class.getName()).getMethod("read", Path.class);
      keepsTheTable(
          table -> {
            assertThatThrownBy(() -> open.invoke(null, table))
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("table is open for writing in this process");
            assertThatCode(() -> report.invoke(null, table)).doesNotThrowAnyException();
          });
    }
  }

  /** Ends with {@link #REFUSED} if a process has the lock of a table. */
  static final class Locks {
    private Locks() {}

    public static void main(String[] arguments) throws IOException {
      try (FileChannel file =
          FileChannel.open(Path.of(arguments[0], "LOCK"), StandardOpenOption.WRITE)) {
        System.exit(file.tryLock() == null ? REFUSED : 0);
      }
    }
  }

  @Test
  void keepsTheLockOfAnotherLoadersClassesThoughAThreadThatWaitsForItIsInterrupted()
      throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch enough = new CountDownLatch(1);
    try (URLClassLoader other = anotherLoader()) {
      Object table =
          other
              .loadClass(Table.class.getName())
              .getMethod("at", Path.class)
              .invoke(null, directory);
      Object storage = table.getClass().getMethod("storage").invoke(table);
      Class<?> action = other.loadClass(IORunnable.class.getName());
      Object holds =
          Proxy.newProxyInstance(
              other,
              new Class<?>[] {action},
              (proxy, method, none) -> {
                held.countDown();
                enough.await();
                return null;
              });
      FutureTask<Object> holder =
          new FutureTask<>(
              () ->
                  other
                      .loadClass(TableStorage.class.getName())
                      .getMethod("exclusively", action)
                      .invoke(storage, holds));
      FutureTask<Void> waiter =
          new FutureTask<>(
              () -> {
                Table.at(directory).storage().exclusively(() -> {});
                return null;
              });
      new Thread(holder, "holder").start();
      held.await();
      Thread waiting = new Thread(waiter, "waiter");
      waiting.start();
      Await.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
      waiting.interrupt();

      Process process = ChildProcess.start(Locks.class, directory.toString());
      assertThat(process.waitFor()).isEqualTo(REFUSED);

      enough.countDown();
      holder.get();
      assertThatThrownBy(waiter::get).hasCauseInstanceOf(InterruptedIOException.class);
    } finally {
      enough.countDown();
    }
  }

  @Test
  void withAReportInTheSameProcess() throws Exception {
    keepsTheTable(LogReport::read);
  }
}
