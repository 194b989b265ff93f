package io.bsdb.flink.row;

import io.bsdb.table.manifest.Manifest;
import java.util.Arrays;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.utils.TypeConversions;
import org.jspecify.annotations.Nullable;

/**
 * METADATA columns: properties of the snapshot that a row was found in, and what a lookup asked for
 * when it found the row.
 */
public enum SnapshotMetadata {
  VERSION("snapshot-version"),
  CREATED_AT("snapshot-created-at"),
  /** The value whose floor the last key column of the row is. */
  FLOOR("floor"),
  /** The value whose longest prefix the last key column of the row is. */
  LONGEST_PREFIX("longest-prefix"),
  /** Whether the row ends the validity of the one before it; FALSE for all that are found. */
  ENDED("ended");

  private final String key;

  SnapshotMetadata(String key) {
    this.key = key;
  }

  /** Returns the name in {@code METADATA FROM}. */
  public String key() {
    return key;
  }

  /** Returns the type of the column. */
  public DataType type(DeclaredTable table) {
    return switch (this) {
      case VERSION -> DataTypes.STRING().notNull();
      case CREATED_AT -> DataTypes.TIMESTAMP_LTZ(3).notNull();
      case ENDED -> DataTypes.BOOLEAN();
      case FLOOR, LONGEST_PREFIX ->
          TypeConversions.fromLogicalToDataType(table.type(table.lastKeyColumn()).copy(true));
    };
  }

  /** Returns whether only a lookup that compares the column can yield its value. */
  public boolean isAskedFor() {
    return this == FLOOR || this == LONGEST_PREFIX;
  }

  /** Returns the value for all rows of a snapshot; null if each lookup has its own. */
  @Nullable Object value(Manifest manifest) {
    return switch (this) {
      case VERSION -> StringData.fromString(manifest.version());
      case CREATED_AT -> TimestampData.fromInstant(manifest.createdAt());
      case FLOOR, LONGEST_PREFIX -> null;
      case ENDED -> false;
    };
  }

  /**
   * Returns the metadata of this name.
   *
   * @throws ValidationException if the table cannot have it
   */
  public static SnapshotMetadata of(String key, DeclaredTable table) {
    SnapshotMetadata metadata = of(key);
    metadata.check(table);
    return metadata;
  }

  /**
   * Returns the metadata of this name.
   *
   * @throws ValidationException if there is none
   */
  public static SnapshotMetadata of(String key) {
    for (SnapshotMetadata metadata : values()) {
      if (metadata.key.equals(key)) {
        return metadata;
      }
    }
    throw new ValidationException(
        "no such metadata: '%s'; expected one of %s"
            .formatted(key, Arrays.stream(values()).map(SnapshotMetadata::key).toList()));
  }

  private void check(DeclaredTable table) {
    if (this == ENDED && table.validity() == null) {
      throw new ValidationException(
          "a column METADATA FROM '%s' of table %s needs a table with a history: 'history.retention' = 'forever', or how long"
              .formatted(key, table.name()));
    }
    String column = table.lastKeyColumn();
    LogicalType type = table.type(column).copy(true);
    if (this == LONGEST_PREFIX
        && !type.is(LogicalTypeFamily.CHARACTER_STRING)
        && !type.is(LogicalTypeFamily.BINARY_STRING)) {
      throw new ValidationException(
          "a column METADATA FROM '%s' of table %s needs a last key column of text or bytes; '%s' is %s"
              .formatted(key, table.name(), column, type.asSummaryString()));
    }
  }
}
