package io.bsdb.flink.lookup;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.storage.LocalDirectories;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.options.Verification;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a table is read. What differs in any of this is read through another reader.
 *
 * @param access how blocks are reached
 * @param verification what is verified when a version is opened
 * @param blockCacheBytes most that the block cache may hold
 * @param refreshInterval how often to look for a new version; zero: never
 * @param version to stay with; null for the one in service
 * @param localDirectory for copies; null: a table that is not local is copied to Flink's temporary
 *     directories
 * @param maxLocalBytes most that the copies of a table may take
 * @param warmUp when blocks are verified before lookups come
 * @param signatures whether they are compared before records are looked for
 */
public record ReadSettings(
    Access access,
    Verification verification,
    long blockCacheBytes,
    Duration refreshInterval,
    @Nullable String version,
    @Nullable String localDirectory,
    long maxLocalBytes,
    WarmUp warmUp,
    SignatureUse signatures)
    implements Serializable {
  /** The same for one version, all of which will be read. */
  public ReadSettings pinnedTo(String pinned) {
    return pinnedTo(pinned, WarmUp.NEVER);
  }

  /**
   * The same, with the version in service now if there is none to stay with and newer ones are not
   * looked for.
   */
  ReadSettings settled(Table table) throws IOException {
    return version == null && refreshInterval.isZero()
        ? pinnedTo(table.requireCurrentVersion(), warmUp)
        : this;
  }

  private ReadSettings pinnedTo(String pinned, WarmUp whenToWarmUp) {
    return new ReadSettings(
        access,
        verification,
        blockCacheBytes,
        Duration.ZERO,
        pinned,
        localDirectory,
        maxLocalBytes,
        whenToWarmUp,
        signatures);
  }

  /**
   * The version to stay with; null if there is none.
   *
   * @throws NoSuchFileException if the table does not have it
   */
  public @Nullable String requireVersion(Table table) throws IOException {
    if (version != null && !table.contains(version)) {
      throw new NoSuchFileException(
          table.storage().toString(),
          null,
          "no version %s; there are %s".formatted(version, table.versions()));
    }
    return version;
  }

  /** Whether a table is read where it lies; else it is copied. */
  public boolean readsInPlace(DeclaredTable table) {
    return table.isLocal() && localDirectory == null;
  }

  /** Where copies of a table go, as a lookup sees it. */
  Path localDirectory(String table) {
    return localDirectory == null ? LocalDirectories.ofTable(table) : Path.of(localDirectory);
  }

  /** How a reader of a share of the keys is opened. */
  public ReaderOptions readerOptions(KeyShare share) {
    return ReaderOptions.builder()
        .access(access)
        .verification(verification)
        .blockCacheBytes(blockCacheBytes)
        .share(share)
        .warmUp(warmUp)
        .signatures(signatures)
        .build();
  }
}
