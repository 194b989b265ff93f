package io.bsdb.kstreams;

import io.bsdb.reader.LiveSnapshot;
import io.bsdb.reader.ReaderOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What {@link LookupBuilder} collected about a lookup, apart from its types. */
record LookupSettings(
    String name,
    Path table,
    ReaderOptions options,
    Duration refreshEvery,
    OnMissing onMissing,
    @Nullable String pinnedVersion,
    LiveSnapshot.Listener listener,
    @Nullable String versionHeader) {

  /** Begins an error message. */
  String describe() {
    return "lookup '" + name + "': table=" + table;
  }
}
