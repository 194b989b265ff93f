package io.bsdb.live.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.Durability;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
