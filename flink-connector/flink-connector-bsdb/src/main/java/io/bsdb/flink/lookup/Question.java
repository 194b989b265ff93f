package io.bsdb.flink.lookup;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.KeyEncoder;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * The question that a lookup asks of a table, by what its join condition compares.
 *
 * @param match which rows it finds
 * @param columns whose values it asks for, by position in the row of compared values: positions
 *     among all columns of the table; −1: checked on the rows that are found
 */
record Question(Match match, List<Integer> columns) implements Serializable {
  Question {
    columns = List.copyOf(columns);
  }

  /** The rows that a lookup finds. All but the first need a table in key order. */
  enum Match {
    /** The row with the key. */
    KEY("a lookup of keys"),
    /** The rows whose leading key columns have the values. */
    LEADING_COLUMNS("a lookup by leading key columns"),
    /** The row with the greatest key that is not above; all but its last column are equal. */
    FLOOR("METADATA FROM 'floor'"),
    /** The row with the longest key that the key begins with. */
    LONGEST_PREFIX("METADATA FROM 'longest-prefix'");

    private final String label;

    Match(String label) {
      this.label = label;
    }

    /** Returns what messages call it. */
    String label() {
      return label;
    }
  }

  /**
   * Returns the question of a lookup.
   *
   * @param keys compared columns and metadata, by position in the projection
   * @throws ValidationException if a table cannot answer it; the message explains why, and what to
   *     do
   */
  static Question of(DeclaredTable table, Projection projection, List<Integer> keys) {
    SnapshotMetadata asked = asked(table, projection, keys);
    List<String> compared =
        keys.stream()
            .filter(projection::isColumn)
            .map(key -> name(table, projection, key))
            .toList();
    List<String> primaryKey = table.primaryKey();
    List<String> required =
        asked == null ? primaryKey : primaryKey.subList(0, primaryKey.size() - 1);
    List<String> missing = required.stream().filter(column -> !compared.contains(column)).toList();
    int leading = missing.isEmpty() ? required.size() : required.indexOf(missing.get(0));
    boolean byLeading = asked == null && leading > 0 && table.order() == RecordOrder.KEY;
    if (!missing.isEmpty() && !byLeading) {
      throw new ValidationException(notCompared(table, asked, missing));
    }
    List<Integer> columns = new ArrayList<>();
    for (int key : keys) {
      if (projection.isColumn(key)) {
        boolean isAsked = required.subList(0, leading).contains(name(table, projection, key));
        columns.add(isAsked ? projection.columns().get(key) : -1);
      } else {
        boolean isAsked = projection.metadataAt(key) == asked;
        columns.add(isAsked ? table.rowType().getFieldIndex(table.lastKeyColumn()) : -1);
      }
    }
    return new Question(match(asked, missing.isEmpty()), columns);
  }

  /**
   * Encodes the keys to ask a version for.
   *
   * @throws ValidationException if the version cannot answer
   */
  KeyEncoder keyEncoder(SnapshotMapping mapping, DeclaredTable table, Manifest manifest) {
    int[] sources = columns.stream().mapToInt(Integer::intValue).toArray();
    if (match == Match.KEY) {
      return mapping.keyEncoder(sources);
    }
    List<String> stored = mapping.schema().primaryKey();
    int leading =
        match == Match.LEADING_COLUMNS
            ? (int) columns.stream().filter(column -> column >= 0).count()
            : stored.size();
    List<String> declared = table.primaryKey();
    boolean isAskable =
        match == Match.LEADING_COLUMNS
            ? Set.copyOf(stored.subList(0, leading))
                .equals(Set.copyOf(declared.subList(0, leading)))
            : stored.get(leading - 1).equals(table.lastKeyColumn());
    if (manifest.order() != RecordOrder.KEY || !mapping.hasSortedKeys()) {
      throw new ValidationException(
          "table %s: version %s is not in the order of its key columns, which %s needs; build it with 'sink.order' = 'key'"
              .formatted(table.name(), manifest.version(), match.label()));
    }
    if (!isAskable) {
      throw new ValidationException(
          "table %s: version %s has the key %s, DDL declares %s; %s needs the same order of columns: change the DDL"
              .formatted(table.name(), manifest.version(), stored, declared, match.label()));
    }
    return KeyEncoder.of(mapping.schema(), table, sources, leading);
  }

  /**
   * Returns where the time of a lookup in a history is in the row of compared values; −1 if it asks
   * for none.
   */
  int time(DeclaredTable table) {
    return match == Match.FLOOR && table.validity() != null
        ? columns.indexOf(table.rowType().getFieldIndex(table.lastKeyColumn()))
        : -1;
  }

  private static Match match(@Nullable SnapshotMetadata asked, boolean wholeKey) {
    if (asked == null) {
      return wholeKey ? Match.KEY : Match.LEADING_COLUMNS;
    }
    return asked == SnapshotMetadata.FLOOR ? Match.FLOOR : Match.LONGEST_PREFIX;
  }

  private static String name(DeclaredTable table, Projection projection, int key) {
    return table.rowType().getFieldNames().get(projection.columns().get(key));
  }

  /** Returns the metadata that is asked for; null for none. */
  private static @Nullable SnapshotMetadata asked(
      DeclaredTable table, Projection projection, List<Integer> keys) {
    SnapshotMetadata asked = null;
    for (int i = 0; i < projection.metadata().size(); i++) {
      SnapshotMetadata metadata = projection.metadata().get(i);
      if (!metadata.isAskedFor()) {
        continue;
      }
      if (asked != null) {
        throw new ValidationException(
            "a lookup in table %s uses the columns METADATA FROM '%s' and '%s'; compare one of them, and do not select the other"
                .formatted(table.name(), asked.key(), metadata.key()));
      }
      if (!keys.contains(projection.columns().size() + i)) {
        String type = metadata.type(table).getLogicalType().asSummaryString();
        throw new ValidationException(
            "the column METADATA FROM '%s' of table %s is what a lookup asks for: compare it by '=' in the join condition, or do not select it. If the join condition does compare it, types differ: declare it as %s, which is the type of key column '%s', and cast the other side: CAST(… AS %s)"
                .formatted(metadata.key(), table.name(), type, table.lastKeyColumn(), type));
      }
      asked = metadata;
    }
    return asked;
  }

  private static String notCompared(
      DeclaredTable table, @Nullable SnapshotMetadata asked, List<String> missing) {
    StringBuilder text = new StringBuilder();
    text.append(
        asked == null
            ? "a lookup in table %s must compare every column of its primary key %s by '='; not compared:"
                .formatted(table.name(), table.primaryKey())
            : "a lookup in table %s by METADATA FROM '%s' must compare every other column of its primary key %s by '='; not compared:"
                .formatted(table.name(), asked.key(), table.primaryKey()));
    for (String column : missing) {
      text.append(" '%s' (%s)".formatted(column, type(table, column)));
    }
    String column = missing.get(0);
    text.append(
        ". If the join condition does compare it, the other side has a wider type, so that Flink casts the table's column; cast the other side instead: ON d.`%s` = CAST(… AS %s). Or the other side is compared with another column, too, and Flink keeps one of these comparisons, as in inner joins of batch jobs; write that one with BETWEEN … AND …"
            .formatted(column, type(table, column)));
    if (asked == null
        && table.order() == RecordOrder.HASH
        && !column.equals(table.primaryKey().get(0))) {
      text.append(
          ". The rows with some leading key columns are found in tables in key order: 'sink.order' = 'key'");
    }
    return text.toString();
  }

  private static String type(DeclaredTable table, String column) {
    return table.type(column).copy(true).asSummaryString();
  }
}
