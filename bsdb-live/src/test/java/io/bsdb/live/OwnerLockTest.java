package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.testkit.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void withClassesOfAnotherLoaderInTheSameProcess() throws Exception {
    List<URL> classes = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      classes.add(new File(entry).toURI().toURL());
    }
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader other = new URLClassLoader(classes.toArray(URL[]::new), platform)) {
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

  @Test
  void withAReportInTheSameProcess() throws Exception {
    keepsTheTable(LogReport::read);
  }
}
