package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.ClosedReaderException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("optimized")
class ConditionalWritesTest {
  private static final int THREADS = 4;
  private static final int KEYS = 5;
  private static final int ROUNDS = 300;

  @TempDir Path directory;

  private WritableTable open(Durability durability) throws IOException {
    return WritableTable.open(directory, WritableOptions.defaults().withDurability(durability));
  }

  private static void inParallel(List<Callable<Void>> tasks) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(tasks.size());
    try {
      for (Future<Void> task : pool.invokeAll(tasks)) {
        task.get();
      }
    } finally {
      pool.shutdown();
    }
  }

  private static byte[] incremented(byte @Nullable [] value) {
    return bytes(value == null ? "1" : Integer.toString(Integer.parseInt(text(value)) + 1));
  }

  /** Else conditional writes of the keys that it has locked would wait for ever. */
  @Test
  void aBatchThatCannotLockAllItsKeysLocksNone() {
    KeyLocks locks = new KeyLocks();
    int number = KeyLocks.number(bytes("k"));
    BitSet numbers = new BitSet();
    numbers.set(number);
    numbers.set(1 << 8); // there is none
    assertThatThrownBy(() -> locks.shareAll(numbers))
        .isInstanceOf(ArrayIndexOutOfBoundsException.class);
    assertThat(locks.of(bytes("k")).isReadLocked()).isFalse();
    numbers.clear(1 << 8);
    long[] stamps = locks.shareAll(numbers);
    assertThat(locks.of(bytes("k")).isReadLocked()).isTrue();
    locks.unlockAll(numbers, stamps);
    assertThat(locks.of(bytes("k")).isReadLocked()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void loseNoIncrement(Durability durability) throws Exception {
    try (WritableTable table = open(durability)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        tasks.add(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                table.compute(bytes("counter" + i % KEYS), ConditionalWritesTest::incremented);
              }
              return null;
            });
      }
      tasks.add(
          () -> {
            for (int i = 0; i < 5; i++) {
              table.publish();
              table.compact();
            }
            return null;
          });
      inParallel(tasks);
      for (int key = 0; key < KEYS; key++) {
        assertThat(text(table.get(bytes("counter" + key))))
            .isEqualTo(Integer.toString(THREADS * ROUNDS / KEYS));
      }
    }
  }

  /** A conditional write appends to what it saw: a put or batch that it overtook would be lost. */
  @Test
  void keepEveryOtherWrite() throws Exception {
    try (WritableTable table = open(Durability.OS)) {
      CyclicBarrier round = new CyclicBarrier(2);
      byte[] key = bytes("key");
      table.put(key, bytes("start"));
      Callable<Void> puts =
          () -> {
            for (int i = 0; i < ROUNDS; i++) {
              round.await(1, TimeUnit.MINUTES);
              if (i % 2 == 0) {
                table.put(key, bytes("put" + i + " "));
              } else {
                table.write(
                    new WriteBatch()
                        .put(bytes("other"), bytes("x"))
                        .put(key, bytes("put" + i + " ")));
              }
              round.await(1, TimeUnit.MINUTES);
              assertThat(text(table.get(key))).startsWith("put" + i + " ");
            }
            return null;
          };
      Callable<Void> appends =
          () -> {
            for (int i = 0; i < ROUNDS; i++) {
              round.await(1, TimeUnit.MINUTES);
              for (int j = 0; j < 5; j++) {
                table.compute(key, value -> bytes(text(value) + "+"));
              }
              round.await(1, TimeUnit.MINUTES);
            }
            return null;
          };
      inParallel(List.of(puts, appends));
    }
  }

  @Test
  void writeOnlyIfTheValueIsExpected() throws IOException {
    byte[] key = bytes("key");
    try (WritableTable table = open(Durability.OS)) {
      assertThat(table.compareAndSet(key, bytes("a"), bytes("b"))).isFalse();
      assertThat(table.putIfAbsent(key, bytes("a"))).isNull();
      assertThat(text(table.putIfAbsent(key, bytes("b")))).isEqualTo("a");
      assertThat(table.compareAndSet(key, null, bytes("b"))).isFalse();
      assertThat(table.compareAndSet(key, bytes("a"), bytes("b"))).isTrue();
      table.compact();
      assertThat(text(table.compute(key, value -> bytes(text(value) + "c")))).isEqualTo("bc");
      assertThat(table.compute(key, value -> null)).isNull();
      assertThat(table.compareAndSet(key, null, null)).isTrue();
      assertThat(table.stats().writes().changes()).isEqualTo(4);
    }
    try (WritableTable table = open(Durability.OS)) {
      assertThat(table.get(key)).isNull();
    }
  }

  @Test
  void nullIsNamed() throws IOException {
    byte[] key = bytes("key");
    try (WritableTable table = open(Durability.OS)) {
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> table.get(null),
              () -> table.put(null, key),
              () -> table.delete(null),
              () -> table.putIfAbsent(null, key),
              () -> table.compareAndSet(null, null, key),
              () -> new WriteBatch().delete(null))) {
        assertThatThrownBy(call)
            .isInstanceOf(NullPointerException.class)
            .hasMessageContaining("key");
      }
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> table.put(key, null),
              () -> table.putIfAbsent(key, null),
              () -> new WriteBatch().put(key, null))) {
        assertThatThrownBy(call)
            .isInstanceOf(NullPointerException.class)
            .hasMessageContaining("value");
      }
    }
  }

  @Test
  void afterCloseAllCallsSaySo() throws IOException {
    byte[] key = bytes("key");
    WritableTable table = open(Durability.OS);
    table.put(key, key);
    table.close();
    table.close();
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> table.get(key),
            () -> table.getAll(List.of(key)),
            () -> table.compareAndSet(key, key, null),
            table::cursor,
            table::sourcePositions,
            table::stats)) {
      assertThatThrownBy(call)
          .isInstanceOf(ClosedReaderException.class)
          .hasMessageContaining(directory.toString());
    }
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> table.put(key, key),
            () -> table.delete(key),
            () -> table.write(new WriteBatch().delete(key)),
            table::sync,
            table::publish,
            table::compact,
            () -> table.checkpoint(directory.resolve("copy")))) {
      assertThatThrownBy(call).isInstanceOf(IOException.class).hasMessageContaining("closed");
    }
  }
}
