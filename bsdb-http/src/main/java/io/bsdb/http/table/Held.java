package io.bsdb.http.table;

import io.bsdb.http.exchange.Entity;
import io.bsdb.http.exchange.MediaType;
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
public record Held(VersionRows rows, SnapshotReader reader, boolean pinned, Closeable release)
    implements Closeable {
  public String version() {
    return rows.version();
  }

  /** Returns the headers of an answer of a media type. */
  public Entity entity(MediaType type) {
    return new Entity(rows.versionField(), rows.tagField(type), pinned);
  }

  @Override
  public void close() throws IOException {
    release.close();
  }
}
