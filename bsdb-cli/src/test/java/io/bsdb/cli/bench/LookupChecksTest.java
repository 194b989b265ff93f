package io.bsdb.cli.bench;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Of a thousand records one is answered wrongly. */
class LookupChecksTest {
  private static final int RECORDS = 1000;
  private static final int VALUE_LENGTH = 100;
  private static final int WRONG = 700;

  @TempDir private Path directory;
  @AutoClose private SnapshotReader reader;
  private LookupKeys keys;

  /** How lookups are asked for. */
  private enum Way {
    SINGLE(1, 0),
    BATCHES(7, 0),
    FUTURES(1, 4);

    private final int batch;
    private final int inFlight;

    Way(int batch, int inFlight) {
      this.batch = batch;
      this.inFlight = inFlight;
    }

    LookupLoad of(SnapshotReader reader, LookupKeys keys) {
      return new LookupLoad(reader, keys, 1, batch, inFlight);
    }
  }

  @BeforeEach
  void open() throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(directory, WriterOptions.defaults())) {
      for (int i = 0; i < RECORDS; i++) {
        writer.add(("key " + i).getBytes(StandardCharsets.UTF_8), value(i));
      }
      writer.publish();
    }
    reader = SnapshotReader.open(directory);
    keys = LookupKeys.ofTable(reader, 0, LookupKeys.MAXIMUM, LookupKeysTest.console());
  }

  @ParameterizedTest
  @EnumSource
  void findsOneWrongByteBeforeItMeasures(Way way) {
    byte[] damaged = value(WRONG);
    damaged[1] ^= 1;
    LookupLoad load = way.of(answering(damaged), keys);

    assertThatThrownBy(() -> load.check(Double.POSITIVE_INFINITY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("wrong answer: key=key 700")
        .hasMessageContaining("actual=another value");
  }

  @ParameterizedTest
  @EnumSource
  void findsAMissingRecordWhileItMeasures(Way way) {
    LookupLoad load = way.of(answering(null), keys);

    assertThatThrownBy(() -> load.run(Double.POSITIVE_INFINITY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("wrong answer: key=key 700")
        .hasMessageContaining("actual=absent");
  }

  private static byte[] value(int record) {
    byte[] value = new byte[VALUE_LENGTH];
    new Random(record).nextBytes(value);
    return value;
  }

  /** The reader, but with this in place of one value, in whatever way it is asked. */
  private SnapshotReader answering(byte @Nullable [] wrong) {
    byte[] right = value(WRONG);
    return changed(
        SnapshotReader.class, reader, value -> Arrays.equals(value, right) ? wrong : value);
  }

  private static <T> T changed(Class<T> type, T original, UnaryOperator<byte @Nullable []> change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> changed(method.invoke(original, arguments), change)));
  }

  @SuppressWarnings("FutureReturnValueIgnored") // whoever asked gets it
  private static @Nullable Object changed(
      @Nullable Object result, UnaryOperator<byte @Nullable []> change) {
    if (result instanceof byte[] value) {
      return change.apply(value);
    }
    if (result instanceof List<?> values) {
      return values.stream().map(value -> changed(value, change)).collect(Collectors.toList());
    }
    if (result instanceof CompletableFuture<?> future) {
      return future.thenApply(value -> changed(value, change));
    }
    return result instanceof AsyncSnapshotReader futures
        ? changed(AsyncSnapshotReader.class, futures, change)
        : result;
  }
}
