package io.bsdb.reader;

import static io.bsdb.reader.NumberedVersions.key;
import static io.bsdb.reader.NumberedVersions.versionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.follow.Followed;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.SnapshotOpener;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class WarmUpTest {
  private static final int KEY = 3;

  @TempDir Path table;
  private NumberedVersions versions;

  @BeforeEach
  void begin() {
    versions = new NumberedVersions(table);
  }

  private static ReaderOptions options(Access access, WarmUp warmUp) {
    return ReaderOptions.builder().access(access).warmUp(warmUp).build();
  }

  private TableReader.Builder follow(Access access, WarmUp warmUp) {
    return TableReader.builder(table).refreshEvery(Duration.ZERO).options(options(access, warmUp));
  }

  /**
   * Flips a bit of each block's checksum, in place: seen by whoever maps the file, and felt only by
   * who verifies.
   */
  private void damageBlocks(Manifest manifest) throws IOException {
    try (OpenSnapshot snapshot = open(manifest)) {
      for (Partition partition : snapshot.partitions()) {
        try (FileChannel file =
            FileChannel.open(partition.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
          for (int block = 0; block < partition.blocks().index().blockCount(); block++) {
            long checksum = partition.blocks().offset(block) + SnapshotFormat.BLOCK_CHECKSUM;
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, checksum);
            file.write(one.put(0, (byte) (one.get(0) ^ 1)).rewind(), checksum);
          }
        }
      }
    }
  }

  private OpenSnapshot open(Manifest manifest) throws IOException {
    return CallingReader.OPENER.openDirectory(
        table.resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY).resolve(manifest.version()),
        manifest,
        ReaderOptions.defaults(),
        DirectFile::openSource);
  }

  @ParameterizedTest
  @CsvSource({"REFRESH, false", "ALWAYS, true"})
  void lookupsHaveNothingLeftToVerify(WarmUp warmUp, boolean alsoAtFirst) throws Exception {
    Manifest first = versions.publishNext();
    try (TableReader live = follow(Access.MAPPED, warmUp).open()) {
      damageBlocks(first);
      if (alsoAtFirst) {
        assertThat(versionOf(live.get(key(KEY)), KEY)).isEqualTo(1);
      } else {
        assertThatThrownBy(() -> live.get(key(KEY))).hasMessageContaining("block checksum");
      }
      for (int i = 0; i < 2; i++) { // each layout once
        Manifest next = versions.publishNext();
        assertThat(live.refresh()).isTrue();
        damageBlocks(next);
        assertThat(versionOf(live.get(key(KEY)), KEY)).isEqualTo(versions.published());
      }
    }
  }

  @Test
  void thisCanBeLeftToLookups() throws Exception {
    versions.publishNext();
    try (TableReader live = follow(Access.MAPPED, WarmUp.NEVER).open()) {
      Manifest second = versions.publishNext();
      assertThat(live.refresh()).isTrue();
      damageBlocks(second);
      assertThatThrownBy(() -> live.get(key(KEY))).hasMessageContaining("block checksum");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "RESIDENT"})
  void aDamagedBlockIsFoundBeforeItsVersionServes(Access access) throws Exception {
    versions.publishNext();
    Heard heard = new Heard();
    try (TableReader live = follow(access, WarmUp.REFRESH).listener(heard).open()) {
      Manifest second = versions.publishNext();
      damageBlocks(second);
      assertThatThrownBy(live::refresh)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("block checksum mismatch")
          .hasMessageContaining(second.version());
      Followed.refreshInBackground(live);
      assertThat(heard.events)
          .as("tried once")
          .containsExactly("failed " + second.version() + " CorruptSnapshotException");
      assertThat(live.failedRefreshes()).isEqualTo(1);
      assertThat(versionOf(live.get(key(KEY)), KEY)).isEqualTo(1);
      versions.publishNext();
      Followed.refreshInBackground(live);
      assertThat(versionOf(live.get(key(KEY)), KEY)).isEqualTo(3);
    }
  }

  @Test
  void onRequestAlsoTheFirstVersionIsRefused() throws Exception {
    damageBlocks(versions.publishNext());
    assertThatThrownBy(() -> SnapshotReader.open(table, options(Access.MAPPED, WarmUp.ALWAYS)))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("block checksum mismatch");
    SnapshotReader.open(table, options(Access.MAPPED, WarmUp.REFRESH)).close();
  }

  @Test
  void whatFollowsNothingServesAtOnce() throws Exception {
    try (TableReader live =
        follow(Access.MAPPED, WarmUp.REFRESH)
            .onMissing(OnMissing.EMPTY)
            .refreshEvery(Duration.ZERO)
            .open()) {
      damageBlocks(versions.publishNext());
      assertThat(live.refresh()).isTrue();
      assertThatThrownBy(() -> live.get(key(KEY))).hasMessageContaining("block checksum");
    }
  }

  @Test
  void whatDoesNotStayInMemoryIsNotWarmedUp() {
    long huge = Long.MAX_VALUE / 2;
    assertThat(SnapshotOpener.isWarmedUp(options(Access.MAPPED, WarmUp.ALWAYS), 1 << 20)).isTrue();
    assertThat(SnapshotOpener.isWarmedUp(options(Access.MAPPED, WarmUp.ALWAYS), huge)).isFalse();
    assertThat(SnapshotOpener.isWarmedUp(options(Access.RESIDENT, WarmUp.ALWAYS), huge)).isTrue();
    assertThat(SnapshotOpener.isWarmedUp(options(Access.DIRECT, WarmUp.ALWAYS), 1)).isFalse();
    assertThat(SnapshotOpener.isWarmedUp(options(Access.IO_URING, WarmUp.ALWAYS), 1)).isFalse();
  }

  @Test
  void anInterruptEndsIt() throws Exception {
    Manifest manifest = versions.publishNext();
    try (OpenSnapshot snapshot = open(manifest)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> SnapshotOpener.warmUp(snapshot))
          .isInstanceOf(InterruptedIOException.class)
          .hasMessageContaining("interrupted while warming up");
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
