package io.bsdb.reader;

import io.bsdb.format.Manifest;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** A table's versions, of which one is in service for good once it is there. */
record PinnedVersion(Versions all, String version) implements Versions {
  @Override
  public @Nullable String current() throws IOException {
    return all.contains(version) ? version : null;
  }

  @Override
  public boolean contains(String other) throws IOException {
    return all.contains(other);
  }

  @Override
  public Manifest manifest(String other) throws IOException {
    return all.manifest(other);
  }

  @Override
  public SnapshotReader open(String other, @Nullable String inUse, ReaderOptions options)
      throws IOException {
    return all.open(other, inUse, options);
  }

  @Override
  public IOException missing() {
    return new NoSuchFileException(all.toString(), null, "there is no version " + version);
  }

  @Override
  public String toString() {
    return all.toString();
  }
}
