package io.bsdb.live.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.live.Durability;
import io.bsdb.live.log.Recovery.Recovered;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.HugeMemory;
import io.bsdb.reader.snapshot.Calls;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong where one segment of a log ends and the next one begins. */
class LogTest {
  private static final int SEGMENT_LENGTH = 4096;
  private static final byte[] VALUE = new byte[1000];

  @TempDir Path directory;

  private final long files = FileMemory.openCount();
  private final long memory = HugeMemory.openCount();
  private final Calls calls = new Calls("log", ClosedReaderException::new);
  private final Reclaimer reclaimer = new Reclaimer(calls);
  private @Nullable String failing;
  private LogIndex index;
  private LogIndex next;
  private Log log;
  private GroupCommit commit;

  /** Fails as a continuation does that cannot have another index, or cannot use it. */
  private final class Continuation implements Log.Continuation {
    @Override
    public @Nullable LogIndex nextIndex() throws IOException {
      if ("nextIndex".equals(failing)) {
        throw new IOException("no memory");
      }
      next = new LogIndex();
      return next;
    }

    @Override
    public void continued(Place end, @Nullable LogIndex other) {
      if ("continued".equals(failing)) {
        throw new IllegalStateException("after the freeze");
      }
    }
  }

  @BeforeEach
  void open() throws IOException {
    LogStorage storage = failing(new LogDirectory(directory));
    index = new LogIndex();
    next = index;
    Recovered recovered =
        new Recovery(storage, index, SEGMENT_LENGTH, Durability.OS, UUID.randomUUID(), 0).run();
    SegmentSupply segments = new SegmentSupply(recovered, SEGMENT_LENGTH, Durability.OS, () -> {});
    Retention retention = new Retention(storage, new Followers(directory), 0, recovered.old());
    log = new Log(recovered, Durability.OS, segments, reclaimer, retention);
    log.continuesBy(new Continuation());
    commit = new GroupCommit(log);
    segments.start();
    reclaimer.start();
  }

  @AfterEach
  void leavesNothingOpen() throws IOException {
    commit.close();
    log.close();
    reclaimer.close();
    index.close();
    if (next != index) {
      next.close();
    }
    assertThat(FileMemory.openCount()).isEqualTo(files);
    assertThat(HugeMemory.openCount()).isEqualTo(memory);
  }

  /** Returns a storage whose files cannot be opened again, or not be written, when wanted. */
  private LogStorage failing(LogDirectory storage) {
    return (LogStorage)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {LogStorage.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(failing) && Boolean.FALSE.equals(arguments[1])) {
                throw new IOException("too many open files");
              }
              try {
                return method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void put(int key) throws IOException {
    commit.add(ChangeKind.PUT, new byte[] {(byte) key}, VALUE);
  }

  private void fill() throws IOException {
    for (int i = 0; i < 3; i++) {
      put(i);
    }
  }

  @Test
  void aSegmentIsNotLostIfThereIsNoIndexForIt() throws IOException {
    fill();
    failing = "nextIndex";
    assertThatThrownBy(() -> put(4)).isInstanceOf(IOException.class).hasMessage("no memory");
    assertThat(log.isUsable()).isTrue();
    failing = null;
    put(5);
    assertThat(log.segmentCount()).isEqualTo(2);
    assertThat(next.changes().keys()).isEqualTo(1);
  }

  @Test
  void aSegmentThatCannotBeOpenedIsTakenTheNextTime() throws IOException {
    fill();
    failing = "open";
    assertThatThrownBy(() -> put(4))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too many open files")
        .hasMessageContaining("nothing was written");
    failing = null;
    next = index; // the other one is closed
    put(5);
    assertThat(log.segmentCount()).isEqualTo(2);
    assertThat(log.through(2)).hasSize(2);
  }

  @Test
  void anIndexThatMayBeInUseStaysOpenAndNothingMoreIsWritten() throws IOException {
    fill();
    failing = "continued";
    assertThatThrownBy(() -> put(4))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("outcome unknown: cut failed")
        .hasMessageContaining("after the freeze");
    failing = null;
    assertThat(next.changes().keys()).isZero(); // it can still be read
    assertThat(HugeMemory.openCount()).isEqualTo(memory + 2 * 64);
    assertThatThrownBy(() -> put(5)).hasMessageContaining("takes no more changes");
    LogIndex unused = new LogIndex();
    assertThatThrownBy(() -> log.cut(unused)).hasMessageContaining("takes no more changes");
    assertThat(HugeMemory.openCount()).as("it is closed").isEqualTo(memory + 2 * 64);
  }
}
