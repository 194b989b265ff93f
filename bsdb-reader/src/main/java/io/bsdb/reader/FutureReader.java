package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.ValueReader;
import io.bsdb.format.block.Block;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.io.StackRoom;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockRequest;
import io.bsdb.reader.block.BlockSource;
import io.bsdb.reader.block.BlockSource.Batching;
import io.bsdb.reader.block.ReadThread;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.reader.snapshot.Ended;
import io.bsdb.reader.snapshot.HashedKeys;
import io.bsdb.reader.snapshot.KeyBatch;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Answers with futures: hashes in the calling thread, fetches by requests, finishes where they are
 * called back. Where blocks are in memory, looks up in the calling thread.
 */
final class FutureReader implements AsyncSnapshotReader {
  private final OpenSnapshot snapshot;
  private final Calls calls;
  private final BlockSource source;
  private final FieldSelection selection;
  private final Ended ended;
  private final @Nullable CallingReader inPlace;

  FutureReader(OpenSnapshot snapshot) {
    this(snapshot, FieldSelection.ALL, Ended.of(snapshot.manifest()));
  }

  FutureReader(OpenSnapshot snapshot, FieldSelection selection, Ended ended) {
    this.snapshot = snapshot;
    this.selection = selection;
    this.ended = ended;
    this.calls = snapshot.calls();
    this.source = snapshot.source();
    this.inPlace =
        source.batching() == Batching.IN_PLACE
            ? new CallingReader(snapshot, selection, ended)
            : null;
  }

  @Override
  public <T> CompletableFuture<@Nullable T> get(byte[] key, ValueReader<T> reader) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(reader, "reader");
    CallingReader calling = inPlace;
    if (calling != null) {
      return lookUpNow(calling, key, reader);
    }
    StackRoom.require(); // else what waits for its end, as close does, waits for ever
    CompletableFuture<@Nullable T> future = new CompletableFuture<>();
    int call = calls.enter();
    try {
      HashValue128 hash = KeyHash.hash(key);
      Partition partition = snapshot.partition(key, hash.getMostSignificantBits());
      long changed = snapshot.findChange(key, hash.getMostSignificantBits());
      long located =
          changed == Overlay.UNCHANGED
              ? snapshot.locate(
                  partition, key, hash.getMostSignificantBits(), hash.getLeastSignificantBits())
              : KeyIndex.ABSENT;
      if (changed >= 0) {
        found(future, call, snapshot.requireOverlay().read(changed, 0, ended.in(reader)));
      } else if (located < 0) {
        absent(future, call);
      } else {
        source.fetch(new Single<>(partition, located, key, call, ended.in(reader), future));
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(future, call, e);
    }
    return future;
  }

  /** Looks up in memory. The call is ended here, also where the stack ends. */
  private <T> CompletableFuture<@Nullable T> lookUpNow(
      CallingReader calling, byte[] key, ValueReader<T> reader) {
    int call = calls.enter();
    int end = Calls.LEFT;
    try {
      HashValue128 hash = KeyHash.hash(key);
      Object answer =
          calling.lookUp(
              key, hash.getMostSignificantBits(), hash.getLeastSignificantBits(), ended.in(reader));
      end = answer == Ended.ABSENT ? Calls.MISSED : Calls.HIT;
      return CompletableFuture.completedFuture(
          answer == Ended.ABSENT ? null : CallingReader.asRead(answer, reader));
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(snapshot.failures().counted(e));
    } finally {
      try {
        calls.end(call, end);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }

  /** The same for many keys. */
  private <T> CompletableFuture<List<@Nullable T>> lookUpNow(HashedKeys<T> keys) {
    int call = calls.enter();
    try {
      KeyBatch.locate(snapshot, keys, selection, ended).fetch();
      calls.found(call, keys);
      return CompletableFuture.completedFuture(keys.answers());
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(snapshot.failures().counted(e));
    } finally {
      try {
        calls.end(call, Calls.LEFT);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }

  private <T> void found(CompletableFuture<@Nullable T> future, int call, @Nullable T answer) {
    if (answer == Ended.ABSENT) {
      absent(future, call);
      return;
    }
    calls.hit(call);
    ReadThread.complete(future, answer, null);
  }

  private void absent(CompletableFuture<?> future, int call) {
    calls.missed(call);
    ReadThread.complete(future, null, null);
  }

  private void fail(CompletableFuture<?> future, int call, Throwable cause) {
    Throwable failure = snapshot.failures().counted(cause);
    calls.left(call);
    ReadThread.complete(future, null, failure);
  }

  private final class Single<T> extends BlockRequest {
    private final Partition partition;
    private final long located;
    private final byte[] key;
    private final int call;
    private final ValueReader<T> reader;
    private final CompletableFuture<@Nullable T> future;
    private @Nullable T answer;

    Single(
        Partition partition,
        long located,
        byte[] key,
        int call,
        ValueReader<T> reader,
        CompletableFuture<@Nullable T> future) {
      super(partition.blocks(), KeyIndex.block(located), selection);
      this.partition = partition;
      this.located = located;
      this.key = key;
      this.call = call;
      this.reader = reader;
      this.future = future;
    }

    @Override
    protected void fetched(Block block, int base) throws IOException {
      long found = partition.index().find(block, base, located, key);
      if (found < 0) {
        snapshot.countOtherKey(partition);
        absent(future, call);
      } else {
        ReadThread.lending(() -> answer = block.lend(found, 0, reader));
        found(future, call, answer);
      }
    }

    @Override
    protected void failed(Throwable cause) {
      fail(future, call, cause);
    }
  }

  @Override
  public <T> CompletableFuture<List<@Nullable T>> getAll(List<byte[]> keys, ValueReader<T> reader) {
    HashedKeys<T> hashed = new HashedKeys<>(keys, reader);
    return inPlace == null ? getAll(hashed) : lookUpNow(hashed);
  }

  <T> CompletableFuture<List<@Nullable T>> getAll(HashedKeys<T> keys) {
    StackRoom.require();
    CompletableFuture<List<@Nullable T>> future = new CompletableFuture<>();
    int call = calls.enter();
    try {
      KeyBatch<T> keyBatch = KeyBatch.locate(snapshot, keys, selection, ended);
      Batch<T> batch = new Batch<>(keyBatch, call, future);
      batch.fetch();
    } catch (IOException | RuntimeException | Error e) {
      fail(future, call, e);
    }
    return future;
  }

  /** The state of one {@link #getAll}: finished when its last block is. */
  private final class Batch<T> {
    private final KeyBatch<T> keys;
    private final int call;
    private final CompletableFuture<List<@Nullable T>> future;
    private final AtomicInteger pending = new AtomicInteger(1);
    private final List<@Nullable T> answers;
    private volatile @Nullable Throwable failure;

    Batch(KeyBatch<T> keys, int call, CompletableFuture<List<@Nullable T>> future) {
      this.keys = keys;
      this.call = call;
      this.future = future;
      this.answers = keys.keys().answers();
    }

    void fetch() {
      Collection<KeyBatch.Group> groups = keys.groups();
      pending.addAndGet(groups.size());
      for (KeyBatch.Group group : groups) {
        Share share = new Share(group);
        try {
          source.fetch(share);
        } catch (RuntimeException | Error e) { // it was not even queued
          share.failed(e);
        }
      }
      done();
    }

    /** The part of the batch that lies in one block. */
    private final class Share extends BlockRequest {
      private final KeyBatch.Group group;

      Share(KeyBatch.Group group) {
        super(group.partition().blocks(), group.block(), keys.selection());
        this.group = group;
      }

      @Override
      protected void fetched(Block block, int base) throws IOException {
        ReadThread.lending(() -> keys.take(group, block, base));
        done();
      }

      @Override
      protected void failed(Throwable cause) {
        failure = cause;
        done();
      }
    }

    private void done() {
      if (pending.decrementAndGet() == 0) {
        Throwable cause = failure;
        if (cause == null) {
          calls.found(call, keys.keys());
          calls.left(call);
          ReadThread.complete(future, answers, null);
        } else {
          fail(future, call, cause);
        }
      }
    }
  }

  @Override
  public AsyncOrderedReader ordered() {
    snapshot.requireKeyOrder();
    return new FutureOrderedReader(snapshot, ended);
  }

  @Override
  public Manifest manifest() {
    return snapshot.manifest();
  }

  @Override
  public ReaderMetrics metrics() {
    return snapshot.metrics();
  }

  @Override
  public void close() throws IOException {
    snapshot.close();
  }
}
