package io.bsdb.reader.follow;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** One version of a table, in service for good once it is there. */
final class PinnedVersion extends VersionSource {
  private final VersionSource all;
  private final String version;

  PinnedVersion(VersionSource all, String version) {
    super(all.table());
    this.all = all;
    this.version = version;
  }

  @Override
  boolean isPinned() {
    return true;
  }

  @Override
  @Nullable String current() throws IOException {
    return table().contains(version) ? version : null;
  }

  @Override
  String requireCurrent(@Nullable String inUse) throws IOException {
    if (!table().contains(version)) {
      throw new NoSuchFileException(toString(), null, "there is no version " + version);
    }
    return version;
  }

  @Override
  SnapshotReader open(Manifest manifest, ReaderOptions options, @Nullable SnapshotReader previous)
      throws IOException {
    return all.open(manifest, options, previous);
  }

  @Override
  void release() {
    all.release();
  }
}
