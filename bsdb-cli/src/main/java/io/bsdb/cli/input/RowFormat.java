package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Rows with a schema, or changes of such rows. */
public final class RowFormat implements RecordFormat {
  private final RowSource source;
  private final RowCodec codec;

  /** The column with the operation of a row; null if each row is a record. */
  private final @Nullable Column operation;

  private RowFormat(RowSource source, Schema schema, @Nullable Column operation) {
    this.source = source;
    this.codec = RowCodec.of(schema);
    this.operation = operation;
  }

  /**
   * Returns the format of rows of these columns.
   *
   * @throws CommandFailure if they have no such key
   */
  public static RowFormat records(RowSource source, List<Column> columns, List<String> key) {
    return new RowFormat(source, schema(columns, key), null);
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
    return new RowFormat(source, schema, new Column(operation, ColumnType.parse("STRING")));
  }

  @Override
  public Schema schema() {
    return codec.schema();
  }

  @Override
  public RowFormat withKeyEncoding(KeyEncoding encoding) {
    return new RowFormat(source, schema().withKeyEncoding(encoding), operation);
  }

  @Override
  public String describe(byte[] key) {
    return RowJsonWriter.of(schema()).key(key);
  }

  @Override
  public void read(InputFile file, AtomicLong stored, Sink sink, BadLines badLines)
      throws IOException {
    List<Column> columns = new ArrayList<>(schema().columns());
    if (operation != null) {
      columns.add(operation);
    }
    source.read(file, stored, columns, new Rows(file.name(), sink, badLines));
  }

  /** The rows of one input, on their way to records. */
  private final class Rows implements RowSource.Sink {
    private final String name;
    private final Sink sink;
    private final BadLines badLines;
    private final @Nullable Object[] keyValues = new Object[schema().keyColumns().size()];
    private final @Nullable Object[] otherValues = new Object[schema().valueColumns().size()];

    Rows(String name, Sink sink, BadLines badLines) {
      this.name = name;
      this.sink = sink;
      this.badLines = badLines;
    }

    @Override
    public void header(List<String> names) {
      List<Column> required =
          new ArrayList<>(operation == null ? schema().columns() : schema().keyColumns());
      if (operation != null) {
        required.add(operation);
      }
      for (Column column : required) {
        if (!names.contains(column.name())) {
          throw CommandFailure.refused(
              "%s: no column '%s'; the header has %s".formatted(name, column.name(), names));
        }
      }
    }

    @Override
    public void row(@Nullable Object[] values, boolean[] given, long line) throws IOException {
      for (int i = 0; i < schema().columns().size(); i++) {
        int keyPosition = schema().keyPosition(i);
        if (keyPosition >= 0) {
          keyValues[keyPosition] = values[i];
        } else {
          otherValues[schema().valuePosition(i)] = values[i];
        }
      }
      byte[] key;
      byte @Nullable [] value = null;
      try {
        boolean puts = operation == null || operation(values, given, operation) == Operation.PUT;
        key = codec.encodeKey(keyValues);
        if (puts) {
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
