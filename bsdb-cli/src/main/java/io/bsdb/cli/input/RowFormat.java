package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Rows with a schema, or changes of such rows.
 *
 * @param columns all columns of the input, in its order
 * @param operation the last column, with the operation of a row; null if each row is a record
 * @param ended the column that shows whether a row is ended; null if none is
 * @param beside the last column, which no row has: it would show that too; null if there is none
 */
public record RowFormat(
    RowSource source,
    RowCodec codec,
    List<Column> columns,
    @Nullable Column operation,
    @Nullable String ended,
    @Nullable Column beside)
    implements RecordFormat {
  /**
   * Returns the format of rows of these columns.
   *
   * @throws CommandFailure if they have no such key
   */
  public static RowFormat records(RowSource source, List<Column> columns, List<String> key) {
    Schema schema = schema(columns, key);
    return new RowFormat(source, RowCodec.of(schema), schema.columns(), null, null, null);
  }

  /** Returns the schema of these columns. Throws what {@link #records} throws. */
  static Schema schema(List<Column> columns, List<String> key) {
    try {
      return Schema.of(columns, key);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage() + "; --key names columns of " + columns);
    }
  }

  /**
   * Returns the format of changes: rows with one more column, the {@link Operation}. Those to
   * delete need no columns but the key's.
   *
   * @throws CommandFailure if the schema has that column
   */
  public static RowFormat changes(RowSource source, Schema schema, String operation) {
    if (schema.columns().stream().anyMatch(column -> column.name().equals(operation))) {
      throw CommandFailure.usage(
          "the table has a column '%s' of its own; --op-column names another".formatted(operation));
    }
    Column last = new Column(operation, ColumnType.parse("STRING"));
    return new RowFormat(
        source, RowCodec.of(schema), and(last, schema.columns()), last, null, null);
  }

  @Override
  public Schema schema() {
    return codec.schema();
  }

  @Override
  public RowFormat withKeyEncoding(KeyEncoding encoding) {
    RowCodec encoded = RowCodec.of(schema().withKeyEncoding(encoding));
    return new RowFormat(source, encoded, columns, operation, ended, beside);
  }

  @Override
  public RowFormat withEnded() {
    String declared = endedColumn(schema());
    String name = RowJsonWriter.endedMember(names(columns));
    Column last = new Column(name, ColumnType.of(Kind.BOOLEAN));
    boolean isLast = source.hasNames() && !names(columns).contains(name);
    List<Column> all = isLast ? and(last, columns) : columns;
    if (declared != null) {
      RowCodec table = RowCodec.of(without(declared, schema()));
      return new RowFormat(source, table, all, operation, declared, isLast ? last : null);
    }
    return source.hasNames() ? new RowFormat(source, codec, all, operation, name, null) : this;
  }

  private static List<Column> and(Column last, List<Column> columns) {
    List<Column> all = new ArrayList<>(columns);
    all.add(last);
    return all;
  }

  private static List<String> names(List<Column> columns) {
    return columns.stream().map(Column::name).toList();
  }

  /**
   * Returns the column among all of an input that shows whether a row is ended; null if there is
   * none.
   */
  static @Nullable String endedColumn(Schema all) {
    String name = RowJsonWriter.endedColumn(names(all.columns()));
    boolean isFound =
        all.valueColumns().stream()
            .anyMatch(column -> column.name().equals(name) && column.type().kind() == Kind.BOOLEAN);
    return isFound ? name : null;
  }

  /** Returns a schema without one of its columns. */
  static Schema without(@Nullable String name, Schema schema) {
    return Schema.of(
            schema.columns().stream().filter(column -> !column.name().equals(name)).toList(),
            schema.primaryKey())
        .withKeyEncoding(schema.keyEncoding());
  }

  @Override
  public void read(InputFile file, AtomicLong stored, Sink sink, BadLines badLines)
      throws IOException {
    source.read(file, stored, columns, new Rows(file.name(), sink, badLines));
  }

  /** The rows of one input, on their way to records. */
  private final class Rows implements RowSource.Sink {
    private final String name;
    private final Sink sink;
    private final BadLines badLines;
    private final int[] positions =
        schema().columns().stream().mapToInt(c -> names(columns).indexOf(c.name())).toArray();
    private final int endedPosition = ended == null ? -1 : names(columns).indexOf(ended);
    private final @Nullable Object[] keyValues = new Object[schema().keyColumns().size()];
    private final @Nullable Object[] otherValues = new Object[schema().valueColumns().size()];

    Rows(String name, Sink sink, BadLines badLines) {
      this.name = name;
      this.sink = sink;
      this.badLines = badLines;
    }

    @Override
    public void header(List<String> names) {
      if (beside != null && names.contains(beside.name())) {
        throw CommandFailure.refused("%s: %s".formatted(name, twoEnds(beside)));
      }
      List<Column> required =
          new ArrayList<>(operation == null ? schema().columns() : schema().keyColumns());
      if (operation != null) {
        required.add(operation);
      }
      for (Column column : required) {
        if (!names.contains(column.name())) {
          throw CommandFailure.refused(
              "%s: no column '%s'; the header has %s%s"
                  .formatted(
                      name,
                      column.name(),
                      names,
                      column.equals(operation)
                          ? "; --op-column names the column with each row's operation, put or delete"
                          : ""));
        }
      }
    }

    @Override
    public void row(@Nullable Object[] values, boolean[] given, long line) throws IOException {
      if (beside != null && given[given.length - 1]) {
        refuse(line, twoEnds(beside));
        return;
      }
      for (int i = 0; i < schema().columns().size(); i++) {
        int keyPosition = schema().keyPosition(i);
        if (keyPosition >= 0) {
          keyValues[keyPosition] = values[positions[i]];
        } else {
          otherValues[schema().valuePosition(i)] = values[positions[i]];
        }
      }
      byte[] key;
      byte @Nullable [] value = null;
      try {
        boolean puts = operation == null || operation(values, given, operation) == Operation.PUT;
        key = codec.encodeKey(keyValues);
        if (endedPosition >= 0 && Boolean.TRUE.equals(values[endedPosition])) {
          value = RowWriter.ended();
        } else if (puts) {
          value = codec.encodeValue(otherValues);
        }
      } catch (IllegalArgumentException e) {
        refuse(line, String.valueOf(e.getMessage()));
        return;
      }
      int valueLength = value == null ? 0 : value.length;
      if (!RecordFormat.fit(key.length, valueLength, name, line, badLines)) {
        return;
      }
      if (value == null) {
        sink.delete(key, 0, key.length, line);
      } else {
        sink.add(key, 0, key.length, value, 0, valueLength, line);
      }
    }

    private String twoEnds(Column other) {
      return "'%s' and '%s' both show which rows are ended; if '%1$s' is a column of the table, name both in --schema"
          .formatted(ended, other.name());
    }

    /** Returns the change of a row, which has all columns if it is to be put. */
    private Operation operation(@Nullable Object[] values, boolean[] given, Column column) {
      if (!(values[values.length - 1] instanceof String word)) {
        throw new IllegalArgumentException("no operation in column '%s'".formatted(column.name()));
      }
      Operation found = Operation.of(word);
      List<Column> columns = schema().columns();
      for (int i = 0; i < columns.size(); i++) {
        if (!given[i] && (found == Operation.PUT || schema().keyPosition(i) >= 0)) {
          throw new IllegalArgumentException(
              "column '%s' is missing".formatted(columns.get(i).name()));
        }
      }
      return found;
    }

    @Override
    public void refuse(long line, String reason) {
      badLines.found(name, line, reason);
    }
  }
}
