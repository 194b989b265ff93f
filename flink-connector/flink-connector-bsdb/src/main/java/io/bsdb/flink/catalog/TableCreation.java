package io.bsdb.flink.catalog;

import io.bsdb.table.Build;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.StagedTable;
import org.apache.flink.table.connector.sink.abilities.SupportsStaging.StagingPurpose;
import org.jspecify.annotations.Nullable;

/**
 * Makes a table of what CREATE TABLE … AS SELECT builds, on the JobManager: declares it when the
 * job has ended, and deletes what a job that failed left behind.
 */
final class TableCreation implements StagedTable {
  private static final long serialVersionUID = 1L;

  private final String catalog;
  private final String warehouse;
  private final ObjectPath path;
  private final Map<String, String> declaration;

  /** Whether there was no table when the job began. */
  private boolean begun;

  private @Nullable Build build;

  /**
   * @param declaration of the table, as properties
   */
  TableCreation(
      String catalog, String warehouse, ObjectPath path, Map<String, String> declaration) {
    this.catalog = catalog;
    this.warehouse = warehouse;
    this.path = path;
    this.declaration = Map.copyOf(declaration);
  }

  private TableDirectories tables() {
    return new TableDirectories(catalog, Warehouse.at(warehouse));
  }

  /**
   * Checks that there is something to create.
   *
   * @throws ValidationException if not, or if a table is to be replaced
   */
  void check(StagingPurpose purpose) {
    try {
      if (purpose == StagingPurpose.REPLACE_TABLE_AS
          || purpose == StagingPurpose.CREATE_OR_REPLACE_TABLE_AS
          || tables().exists(path)) {
        throw new ValidationException(
            "table %s.%s: CREATE TABLE … AS SELECT takes no table that may be there; use INSERT OVERWRITE"
                .formatted(catalog, path.getFullName()));
      }
      tables().explainAbsence(path);
    } catch (IOException e) {
      throw failed("created", e);
    }
  }

  /** Notes what the job builds; before it begins. */
  void builds(Build value) {
    build = value;
  }

  @Override
  public void begin() {
    try {
      begun = !tables().exists(path);
    } catch (IOException e) {
      throw failed("created", e);
    }
  }

  @Override
  public void commit() {
    try {
      tables().declare(path, declaration);
    } catch (IOException e) {
      throw failed("declared; it is there, without what was declared but not built", e);
    }
  }

  @Override
  public void abort() {
    if (begun && build != null) {
      try {
        tables().undo(path, build);
      } catch (IOException e) {
        throw failed("deleted after its job failed", e);
      }
    }
  }

  private UncheckedIOException failed(String what, IOException cause) {
    return new UncheckedIOException(
        "table %s.%s could not be %s: %s".formatted(catalog, path.getFullName(), what, cause),
        cause);
  }
}
