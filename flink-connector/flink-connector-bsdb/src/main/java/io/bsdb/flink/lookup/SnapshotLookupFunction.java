package io.bsdb.flink.lookup;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up one row at a time in the version in service. The reader is shared with all tasks of the
 * process; new versions are opened in the background, and the next lookup uses them.
 */
public final class SnapshotLookupFunction extends LookupFunction {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotLookupFunction.class);

  private final LookupSpec spec;
  private transient SharedSnapshots.@Nullable Use use;
  private transient @Nullable VersionLookup version;

  /**
   * A version that the DDL does not match: a stream that runs is not to fail because somebody
   * published another schema.
   */
  private transient @Nullable String refused;

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
    try {
      version = VersionLookup.of(use.live(), spec);
    } catch (IOException | RuntimeException e) {
      try {
        close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  @Override
  public Collection<RowData> lookup(RowData compared) throws IOException {
    RowData found = currentVersion().lookup(compared);
    return found == null ? List.of() : List.of(found);
  }

  /** The version in service, or the one before if the DDL does not match it. */
  private VersionLookup currentVersion() throws IOException {
    VersionLookup held = version;
    if (use == null || held == null) {
      throw new IllegalStateException("the function is not open");
    }
    if (held.isCurrent() || use.live().version().equals(refused)) {
      return held;
    }
    String candidate = use.live().version();
    VersionLookup next;
    try {
      next = VersionLookup.of(use.live(), spec);
    } catch (ValidationException e) {
      refused = candidate;
      LOG.error("Table {} keeps its version for this task.", spec.table().name(), e);
      return held;
    }
    version = next;
    held.close();
    return next;
  }

  @Override
  public void close() throws IOException {
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
