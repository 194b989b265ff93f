package io.bsdb.reader;

import io.bsdb.reader.metrics.LookupCounters;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.table.Manifest;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads a table of which no version has been published yet: every key is absent. */
final class EmptyReader implements SnapshotReader {
  private static final Manifest MANIFEST =
      new Manifest(
          new UUID(0, 0),
          "0000000000-00000000",
          null,
          Instant.EPOCH,
          null,
          Map.of(),
          List.of(),
          Map.of(),
          Map.of());

  private final Calls calls = new Calls("reader of a table without a version");
  private final ReaderMetrics metrics =
      new ReaderMetrics(
          new LookupCounters(), calls::hits, calls::misses, () -> 0, () -> "nothing to read yet");

  private void miss(int keys) {
    int call = calls.enter();
    calls.batch(call, 0, keys);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    Objects.requireNonNull(key, "key");
    miss(1);
    return null;
  }

  @Override
  public int get(byte[] key, ByteBuffer target) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(target, "target");
    miss(1);
    return NOT_FOUND;
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    Keys.requireNonNull(keys);
    miss(keys.size());
    return Arrays.asList(new byte[keys.size()] @Nullable []);
  }

  @Override
  public RecordCursor scan() {
    miss(0);
    return new NoRecords();
  }

  @Override
  public RecordCursor scan(int partition) {
    throw new IllegalArgumentException("no such partition: there are none, actual " + partition);
  }

  @Override
  public int partitionCount() {
    return 0;
  }

  @Override
  public AsyncSnapshotReader async() {
    return new Async();
  }

  @Override
  public Manifest manifest() {
    return MANIFEST;
  }

  @Override
  public ReaderMetrics metrics() {
    return metrics;
  }

  @Override
  public void close() {
    var unused = calls.close();
  }

  private final class Async implements AsyncSnapshotReader {
    @Override
    public CompletableFuture<byte @Nullable []> get(byte[] key) {
      return CompletableFuture.completedFuture(EmptyReader.this.get(key));
    }

    @Override
    public CompletableFuture<List<byte @Nullable []>> getAll(List<byte[]> keys) {
      return CompletableFuture.completedFuture(EmptyReader.this.getAll(keys));
    }

    @Override
    public Manifest manifest() {
      return MANIFEST;
    }

    @Override
    public ReaderMetrics metrics() {
      return metrics;
    }

    @Override
    public void close() {
      EmptyReader.this.close();
    }
  }

  private static final class NoRecords implements RecordCursor {
    @Override
    public boolean next() {
      return false;
    }

    @Override
    public byte[] key() {
      throw new IllegalStateException("no current record");
    }

    @Override
    public byte[] value() {
      throw new IllegalStateException("no current record");
    }

    @Override
    public void close() {}
  }
}
