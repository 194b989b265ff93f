package io.bsdb.flink.lookup;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;
import org.jspecify.annotations.Nullable;

/**
 * Looks up one row at a time in the version in service. The reader is shared with all tasks of the
 * process; new versions are opened in the background, and the next lookup uses them.
 */
public final class SnapshotLookupFunction extends LookupFunction {
  private static final long serialVersionUID = 1L;

  private final LookupSpec spec;
  private transient SharedSnapshots.@Nullable Use use;
  private transient @Nullable VersionLookup version;

  public SnapshotLookupFunction(LookupSpec spec) {
    this.spec = spec;
  }

  @Override
  public void open(FunctionContext context) throws Exception {
    try {
      use = SharedSnapshots.use(spec.table().directory(), spec.settings());
    } catch (IOException e) {
      throw new IOException(
          "table %s cannot be opened: path=%s: %s"
              .formatted(spec.table().name(), spec.table().path(), e),
          e);
    }
    version = VersionLookup.of(use.live(), spec);
  }

  @Override
  public Collection<RowData> lookup(RowData compared) throws IOException {
    RowData found = currentVersion().lookup(compared);
    return found == null ? List.of() : List.of(found);
  }

  private VersionLookup currentVersion() {
    VersionLookup held = version;
    if (held != null && held.isCurrent()) {
      return held;
    }
    if (use == null) {
      throw new IllegalStateException("the function is not open");
    }
    if (held != null) {
      version = null;
      held.close();
    }
    held = VersionLookup.of(use.live(), spec);
    version = held;
    return held;
  }

  @Override
  public void close() throws Exception {
    try {
      if (version != null) {
        version.close();
      }
    } finally {
      version = null;
      if (use != null) {
        use.close();
        use = null;
      }
    }
  }
}
