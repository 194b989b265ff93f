package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads of a ring that do not come back: a pipe is in the place of one of two partitions' files, so
 * the kernel holds a read until the test writes a block. Where there is no ring, the threads that
 * do its work have opened the file before, and nothing is slow.
 */
@ExtendWith(NothingLeftOpen.class)
@Timeout(60)
class SlowRingTest {
  private static final int SLOW = 1;

  private final TestData data = TestData.random(31, 2000, Lengths.VARYING, Lengths.VARYING, 100);

  @TempDir Path directory;
  private byte[] slowFile;
  private RandomAccessFile pipe;
  private AsyncSnapshotReader reader;
  private OpenSnapshot snapshot;

  private AsyncSnapshotReader openWithASlowPartition() throws Exception {
    Manifest manifest = data.publish(directory, WriterOptions.builder().partitions(2).build());
    Path file =
        directory
            .resolve("snapshots")
            .resolve(manifest.version())
            .resolve(manifest.partitions().get(SLOW).name());
    slowFile = Files.readAllBytes(file);
    snapshot =
        CallingReader.OPENER.open(
            directory, ReaderOptions.builder().access(Access.IO_URING).build());
    Files.delete(file);
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    pipe =
        new RandomAccessFile(file.toFile(), "rw"); // with a writer, so that opening does not wait
    reader = new FutureReader(snapshot);
    return reader;
  }

  @AfterEach
  void closePipe() throws Exception {
    pipe.close();
  }

  private boolean isSlow(byte[] key) {
    return KeyHash.hash(key).getMostSignificantBits() < 0; // the upper half, unsigned
  }

  private boolean hasRing() {
    return reader.metrics().effectiveAccess().startsWith(Access.IO_URING.name());
  }

  /** The page that a lookup of this key waits for. */
  private byte[] page(byte[] key) {
    var hash = KeyHash.hash(key);
    Partition partition = snapshot.partition(key, hash.getMostSignificantBits());
    long located =
        partition
            .index()
            .locate(key, hash.getMostSignificantBits(), hash.getLeastSignificantBits());
    long offset = partition.blocks().offset(KeyIndex.block(located));
    int start = (int) (offset & -SnapshotFormat.PAGE);
    return Arrays.copyOfRange(slowFile, start, start + SnapshotFormat.PAGE);
  }

  private int firstSlow() {
    int record = 0;
    while (!isSlow(data.keys().get(record))) {
      record++;
    }
    return record;
  }

  @Test
  void holdUpTheirOwnLookupsOnly() throws Exception {
    try (AsyncSnapshotReader lookups = openWithASlowPartition()) {
      int slow = firstSlow();
      CompletableFuture<byte[]> held = lookups.get(data.keys().get(slow));
      try {
        assertOthersAreAnswered(lookups);
        if (hasRing()) {
          assertThat(held).isNotDone();
          Await.until(
              () -> lookups.metrics().readsInFlight() <= 1); // the last may still be on its way out
        }
      } finally { // or closing would wait for ever
        pipe.write(page(data.keys().get(slow)));
      }
      assertThat(held.join()).isEqualTo(data.values().get(slow));
    }
  }

  private void assertOthersAreAnswered(AsyncSnapshotReader lookups) {
    List<CompletableFuture<byte[]>> others = new ArrayList<>();
    for (int i = 0; i < data.count(); i++) {
      others.add(isSlow(data.keys().get(i)) ? null : lookups.get(data.keys().get(i)));
    }
    for (int i = 0; i < data.count(); i++) {
      if (others.get(i) != null) {
        assertThat(others.get(i).join()).isEqualTo(data.values().get(i));
      }
    }
  }

  @Test
  void areWaitedForByCloseWhichFailsNothingTwice() throws Exception {
    AsyncSnapshotReader lookups = openWithASlowPartition();
    byte[] key = data.keys().get(firstSlow());
    CompletableFuture<byte[]> held = lookups.get(key);
    assertOthersAreAnswered(lookups); // then the ring is at the one before them, too
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(
            () -> {
              try {
                lookups.close();
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
    if (hasRing()) {
      Await.until(() -> snapshot.calls().isClosed());
      try {
        assertThat(closed).isNotDone();
        assertThat(held).isNotDone();
      } finally {
        pipe.write(page(key));
      }
    }
    closed.join();
    assertThat(held.join()).isEqualTo(data.values().get(firstSlow()));
    assertThatThrownBy(() -> lookups.get(key)).isInstanceOf(ClosedReaderException.class);
  }
}
