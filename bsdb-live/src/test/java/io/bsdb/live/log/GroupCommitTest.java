package io.bsdb.live.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.segment.ChangeKind;
import io.bsdb.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.Thread.State;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("optimized")
class GroupCommitTest {
  private static final byte[] KEY = {1};
  private static final long SECONDS = 60;

  private final List<Integer> written = new ArrayList<>();
  private boolean memoryIsUsed;

  private ByteBuffer allocate(int capacity) {
    if (memoryIsUsed) {
      throw new OutOfMemoryError("Cannot reserve direct buffer memory");
    }
    return ByteBuffer.allocate(capacity);
  }

  private final GroupCommit.Sink sink =
      new GroupCommit.Sink() {
        @Override
        public void write(GroupCommit.Group group) {
          written.add(group.frame().length());
          memoryIsUsed = true;
        }

        @Override
        public void requireUsable() {}
      };

  /** If it hangs, nothing ends it: so a thread of its own, that no one waits for. */
  private static void inTime(Runnable task) throws InterruptedException {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    thread.join(TimeUnit.SECONDS.toMillis(SECONDS));
    assertThat(thread.isAlive()).as("hangs").isFalse();
  }

  @Test
  void theNextChangeIsWrittenIfMemoryIsUsedUpAfterALongOne() throws InterruptedException {
    GroupCommit commit = new GroupCommit(sink, this::allocate);
    int[] lengths = {5 << 20, 1, 5 << 20, 1};
    List<Throwable> failures = new ArrayList<>();
    inTime(
        () -> {
          for (int length : lengths) {
            try {
              commit.add(ChangeKind.PUT, KEY, new byte[length]);
            } catch (IOException | OutOfMemoryError e) {
              failures.add(e);
            }
          }
          commit.close();
        });
    assertThat(failures).as("the second long one").hasSize(1);
    assertThat(written).hasSize(3);
  }

  /** Of long changes one alone has room in a group. */
  @ParameterizedTest
  @ValueSource(ints = {1, 600_000})
  void allWritersOfASlowLogAreWoken(int length) throws InterruptedException {
    int writers = 8;
    int changes = 40;
    AtomicInteger records = new AtomicInteger();
    GroupCommit.Sink slow =
        new GroupCommit.Sink() {
          @Override
          public void write(GroupCommit.Group group) {
            sleep(1);
            records.addAndGet(group.frame().records());
          }

          @Override
          public void requireUsable() {}
        };
    GroupCommit commit = new GroupCommit(slow);
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    for (int i = 0; i < writers; i++) {
      threads.execute(() -> IntStream.range(0, changes).forEach(change -> add(commit, length)));
    }
    threads.shutdown();
    assertThat(threads.awaitTermination(SECONDS, TimeUnit.SECONDS)).as("all ended").isTrue();
    assertThat(records).hasValue(writers * changes);
  }

  @Test
  void changesThatComeWhileAGroupIsWrittenAreWrittenTogether() throws InterruptedException {
    int waiting = 7;
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    GroupCommit commit =
        new GroupCommit(
            new GroupCommit.Sink() {
              @Override
              public void write(GroupCommit.Group group) {
                written.add(group.frame().records());
                begun.countDown();
                await(end);
              }

              @Override
              public void requireUsable() {}
            });
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i <= waiting; i++) {
      Thread thread = new Thread(() -> add(commit));
      threads.add(thread);
      thread.start();
      begun.await();
    }
    Await.until(() -> threads.stream().allMatch(each -> each.getState() == State.WAITING));
    end.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(written).containsExactly(1, waiting);
  }

  /** After a write of two seconds, a leader waits a second for those who were woken. */
  @Test
  void aWriterThatIsWokenJoinsTheNextGroup() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    GroupCommit commit =
        new GroupCommit(
            new GroupCommit.Sink() {
              @Override
              public void write(GroupCommit.Group group) {
                written.add(group.frame().records());
                if (written.size() == 1) {
                  begun.countDown();
                  sleep(2_000);
                }
              }

              @Override
              public void requireUsable() {}
            });
    Thread first =
        new Thread(
            () -> {
              add(commit);
              sleep(20);
              add(commit);
            });
    first.start();
    begun.await();
    add(commit);
    first.join();
    assertThat(written).containsExactly(1, 2);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void sleep(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void add(GroupCommit commit) {
    add(commit, 1);
  }

  private static void add(GroupCommit commit, int length) {
    try {
      commit.add(ChangeKind.PUT, KEY, new byte[length]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
