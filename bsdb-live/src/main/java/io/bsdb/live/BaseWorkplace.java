package io.bsdb.live;

import io.bsdb.compact.Workplace;
import io.bsdb.format.io.IOFunction;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Folds and merges the version under a log where lookups have it open. */
record BaseWorkplace(Path directory, TableReader reader) implements Workplace {
  @Override
  public @Nullable Manifest inService() {
    return reader.isEmpty() ? null : reader.manifest();
  }

  @Override
  public <T> T open(Manifest manifest, Set<UUID> partitions, IOFunction<SnapshotReader, T> work)
      throws IOException {
    try (TableReader.Lease lease = reader.lease()) {
      return work.apply(lease.reader());
    }
  }

  @Override
  public SnapshotReader open(Manifest manifest, IntPredicate partitions) throws IOException {
    return SnapshotReader.openVersion(directory, manifest, ReaderOptions.defaults(), partitions);
  }
}
