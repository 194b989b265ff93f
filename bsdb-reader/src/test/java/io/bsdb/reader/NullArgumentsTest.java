package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.ValueReader;
import io.bsdb.reader.AccessContractTest.Way;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.ReaderOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Null is a mistake of the caller: named, thrown by the call itself, and counted nowhere. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(60)
class NullArgumentsTest {
  private static final byte[] KEY = new byte[8];

  @TempDir Path directory;

  private static void assertRefused(String parameter, ThrowingCallable call) {
    assertThatThrownBy(call).isExactlyInstanceOf(NullPointerException.class).hasMessage(parameter);
  }

  private static void assertRefusedBy(SnapshotReader reader) {
    List<byte[]> keys = Arrays.asList(KEY, null, KEY);
    assertRefused("key", () -> reader.get(null));
    assertRefused("key", () -> reader.get(null, ByteBuffer.allocate(1)));
    assertRefused("target", () -> reader.get(KEY, (ByteBuffer) null));
    assertRefused("reader", () -> reader.get(KEY, (ValueReader<?>) null));
    assertRefused("reader", () -> reader.getAll(List.of(KEY), null));
    assertRefused("keys", () -> reader.getAll(null));
    assertRefused("keys[1]", () -> reader.getAll(keys));
    AsyncSnapshotReader async = reader.async();
    assertRefused("key", () -> async.get(null));
    assertRefused("keys", () -> async.getAll(null));
    assertRefused("keys[1]", () -> async.getAll(keys));
    assertRefused("reader", () -> async.get(KEY, null));
    assertRefused("reader", () -> async.getAll(List.of(KEY), null));
    ReaderMetrics metrics = reader.metrics();
    assertThat(metrics.hits() + metrics.misses() + metrics.failures()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void areRefusedByReaders(Way way) throws Exception {
    FaultyTable table = new FaultyTable(directory);
    try (SnapshotReader reader = table.open(way.options())) {
      assertRefusedBy(reader);
    }
  }

  @Test
  void areRefusedByTableReaders() throws Exception {
    new FaultyTable(directory);
    try (TableReader live = TableReader.follow(directory, ReaderOptions.defaults());
        TableReader.Lease lease = live.lease()) {
      assertRefused("key", () -> live.get(null));
      assertRefusedBy(lease.reader());
    }
  }

  @Test
  void areRefusedWhileThereIsNoVersion() throws Exception {
    try (TableReader live = TableReader.builder(directory).onMissing(OnMissing.EMPTY).open()) {
      assertRefused("key", () -> live.get(null));
      assertRefused("target", () -> live.get(new byte[1], (ByteBuffer) null));
      assertRefused("reader", () -> live.get(new byte[1], (ValueReader<?>) null));
      assertRefused("reader", () -> live.getAll(List.of(new byte[1]), null));
      assertThatThrownBy(() -> live.getAll(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> live.getAll(Arrays.asList(new byte[1], null)))
          .isInstanceOf(NullPointerException.class);
    }
  }
}
