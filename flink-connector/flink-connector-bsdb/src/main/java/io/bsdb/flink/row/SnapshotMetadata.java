package io.bsdb.flink.row;

import io.bsdb.table.Manifest;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;

/** METADATA columns: properties of the snapshot that a row was found in. */
public enum SnapshotMetadata {
  VERSION("snapshot-version"),
  CREATED_AT("snapshot-created-at");

  private final String key;

  SnapshotMetadata(String key) {
    this.key = key;
  }

  /** Returns the name in {@code METADATA FROM}. */
  public String key() {
    return key;
  }

  public DataType type() {
    return switch (this) {
      case VERSION -> DataTypes.STRING().notNull();
      case CREATED_AT -> DataTypes.TIMESTAMP_LTZ(3).notNull();
    };
  }

  Object value(Manifest manifest) {
    return switch (this) {
      case VERSION -> StringData.fromString(manifest.version());
      case CREATED_AT -> TimestampData.fromInstant(manifest.createdAt());
    };
  }

  /** Returns the metadata of this name. */
  public static SnapshotMetadata of(String key) {
    for (SnapshotMetadata metadata : values()) {
      if (metadata.key.equals(key)) {
        return metadata;
      }
    }
    throw new IllegalArgumentException("no such metadata: " + key);
  }
}
