package io.bsdb.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows with a schema. */
final class RowFormat implements RecordFormat {
  private final RowSource source;
  private final TableSchema table;
  private final RowCodec codec;

  RowFormat(RowSource source, TableSchema table) {
    this.source = source;
    this.table = table;
    this.codec = RowCodec.of(table.schema());
  }

  @Override
  public Schema schema() {
    return table.schema();
  }

  @Override
  public String describe(byte[] key) {
    return RowJsonWriter.of(codec.schema()).key(key);
  }

  @Override
  public void read(InputStream in, String name, RecordSink sink, BadLines badLines)
      throws IOException {
    source.read(in, name, new Rows(name, sink, badLines));
  }

  /** The rows of one input, on their way to records. */
  private final class Rows implements RowSource.Sink {
    private final String name;
    private final RecordSink sink;
    private final BadLines badLines;
    private final Map<String, @Nullable Object> values = new HashMap<>();

    Rows(String name, RecordSink sink, BadLines badLines) {
      this.name = name;
      this.sink = sink;
      this.badLines = badLines;
    }

    @Override
    public void row(Map<String, JsonNode> fields, long line) throws IOException {
      byte[] key;
      byte[] value;
      try {
        convert(fields);
        key = codec.encodeKey(values);
        value = codec.encodeValue(values);
      } catch (IllegalArgumentException e) {
        refuse(line, String.valueOf(e.getMessage()));
        return;
      }
      if (key.length == 0) {
        refuse(line, "the key is empty");
      } else if (RecordFormat.fits(
              "key", key.length, SnapshotFormat.MAX_KEY_LENGTH, name, line, badLines)
          && RecordFormat.fits(
              "value", value.length, SnapshotFormat.MAX_VALUE_LENGTH, name, line, badLines)) {
        sink.add(key, 0, key.length, value, 0, value.length, line);
      }
    }

    @Override
    public void refuse(long line, String reason) {
      badLines.found(name, line, reason);
    }

    private void convert(Map<String, JsonNode> fields) {
      Map<String, InferredType> inferred = table.inferred();
      values.clear();
      for (Column column : table.schema().columns()) {
        JsonNode field = fields.get(column.name());
        if (field != null) {
          InferredType type = inferred == null ? null : inferred.get(column.name());
          if (type != null && !type.takes(field, source)) {
            throw new IllegalArgumentException(
                "'%s' does not fit the inferred %s; say the types with --schema"
                    .formatted(field.asText(), column));
          }
          values.put(column.name(), value(column, field));
        } else if (!source.isTyped()) {
          throw CommandFailure.refused(
              "%s: no column '%s'; the header has %s"
                  .formatted(name, column.name(), fields.keySet()));
        }
      }
      if (inferred != null && fields.size() > values.size()) {
        throw new IllegalArgumentException(
            "a column that the first rows do not have, among %s; say the columns with --schema"
                .formatted(fields.keySet()));
      }
    }

    private @Nullable Object value(Column column, JsonNode field) {
      boolean emptyIsNull =
          !source.isTyped()
              && column.type().kind() != ColumnType.Kind.CHAR
              && column.type().kind() != ColumnType.Kind.VARCHAR;
      return emptyIsNull && field.asText().isEmpty() ? null : JsonValues.parse(column, field);
    }
  }
}
