package io.bsdb.live.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.Durability;
import io.bsdb.live.log.LogStorage.LogFile;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogPartTest {
  private static final int LENGTH = 1 << 16;

  @TempDir Path directory;

  private LogDirectory storage;
  private String name;

  @BeforeEach
  void create() throws IOException {
    storage = new LogDirectory(directory);
    try (LogPart part = LogPart.create(storage, 1, LENGTH, Durability.OS)) {
      name = part.name();
    }
  }

  /** Returns the storage; the first file that is mapped becomes shorter before it is. */
  private LogStorage sealing(int length) {
    boolean[] sealed = new boolean[1];
    return (LogStorage)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {LogStorage.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("map") && !sealed[0]) {
                sealed[0] = true;
                try (FileChannel file =
                    FileChannel.open(directory.resolve(name), StandardOpenOption.WRITE)) {
                  file.truncate(length);
                }
                throw new IOException("cannot be mapped");
              }
              try {
                return method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Returns the storage; a file has only so much room. */
  private LogStorage holding(long room) {
    return proxy(
        LogStorage.class,
        storage,
        (method, arguments, result) ->
            result instanceof LogFile file
                ? proxy(
                    LogFile.class,
                    file,
                    (write, of, nothing) -> {
                      if (write.getName().equals("write") && (long) of[1] >= room) {
                        throw new IOException("No space left on device");
                      }
                      return nothing;
                    })
                : result);
  }

  private interface After {
    @Nullable Object call(Method method, Object[] arguments, @Nullable Object result)
        throws IOException;
  }

  private <T> T proxy(Class<T> type, T real, After after) {
    return type.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return after.call(method, arguments, method.invoke(real, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void leavesNoFileThatTakesTheLastSpaceOfTheDisk() throws IOException {
    List<String> before = storage.list();
    assertThatThrownBy(
            () -> LogPart.create(holding(1 << 20), 2, 1 << 22, Durability.COMMIT).close())
        .hasMessage("No space left on device");
    assertThat(storage.list()).isEqualTo(before);
  }

  @Test
  void namesAFileThatCannotBeSealed() throws IOException {
    try (LogPart part = LogPart.open(storage, name)) {
      assertThatThrownBy(() -> part.seal(holding(0)))
          .hasMessage(
              "file of the log cannot be sealed: file=%s: No space left on device",
              directory.resolve(name));
    }
  }

  @Test
  void opensAFileThatIsSealedMeanwhile() throws IOException {
    try (LogPart part = LogPart.open(sealing(LENGTH / 2), name)) {
      assertThat(part.length()).isEqualTo(LENGTH / 2);
    }
  }

  @Test
  void failsIfTheFileIsAsItWas() {
    assertThatThrownBy(() -> LogPart.open(sealing(LENGTH), name))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot be mapped");
  }
}
