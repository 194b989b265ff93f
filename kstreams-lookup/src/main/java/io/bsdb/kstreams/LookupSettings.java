package io.bsdb.kstreams;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
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
    @Nullable LocalCopies localCopies,
    TableReader.Listener listener,
    @Nullable String versionHeader) {

  /** Where copies of a table elsewhere go, and how many bytes they may take. */
  record LocalCopies(Path directory, long maxBytes) {}

  /** Begins an error message. */
  String describe() {
    return "lookup '" + name + "': table=" + table;
  }
}
