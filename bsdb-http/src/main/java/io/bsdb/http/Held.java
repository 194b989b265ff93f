package io.bsdb.http;

import io.bsdb.reader.SnapshotReader;
import java.io.Closeable;
import java.io.IOException;

/**
 * A version that a request holds open. Every answer is from one of them.
 *
 * @param rows of the version
 * @param reader not to be closed
 * @param pinned whether the address names the version, so that its answers never change
 * @param release lets the version go
 */
record Held(VersionRows rows, SnapshotReader reader, boolean pinned, Closeable release)
    implements Closeable {
  String version() {
    return rows.version();
  }

  @Override
  public void close() throws IOException {
    release.close();
  }
}
