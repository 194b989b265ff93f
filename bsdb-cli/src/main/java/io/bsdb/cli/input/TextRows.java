package io.bsdb.cli.input;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Rows that lie in text, whose columns have types that are given or inferred. */
abstract class TextRows implements RowSource {
  private static final int SAMPLE = 10_000;

  /** Types by column, if they were inferred. */
  private final Map<String, InferredType> inferred = new LinkedHashMap<>();

  /** Those of the first rows, once there are more. */
  private final Set<String> early = new HashSet<>();

  /** Takes what an input holds. A field that is no value throws IllegalArgumentException. */
  interface Fields {
    /** Takes the names of all fields, if the input has them in advance. */
    void header(List<String> names);

    /** Takes a field of the current row, whose text may stand for a value of any type. */
    void field(String name, String text);

    /** Takes a field of the current row: the JSON at the current token, which it consumes. */
    void field(String name, JsonParser json) throws IOException;

    /** Ends the current row. */
    void end(long line) throws IOException;

    /** Drops the current row. */
    void refuse(long line, String reason);
  }

  /**
   * Reads an input to its end.
   *
   * @param columns names of the fields, where rows have them by position; empty if not known
   */
  abstract void read(InputStream in, String name, List<String> columns, Fields fields)
      throws IOException;

  @Override
  public final void read(InputFile file, AtomicLong stored, List<Column> columns, Sink sink)
      throws IOException {
    List<String> names = columns.stream().map(Column::name).toList();
    read(file, stored, names, new Typed(columns, sink));
  }

  private void read(InputFile file, AtomicLong stored, List<String> columns, Fields fields)
      throws IOException {
    try (InputStream in = file.open(stored)) {
      read(in, file.name(), columns, fields);
    }
  }

  /** Infers the columns: all of them, in the order in which they come up. */
  @Override
  public final List<Column> columns(Inputs inputs, BadLines badLines, Sampling sampling)
      throws IOException {
    if (!inputs.canBeReadAgain()) {
      throw CommandFailure.usage(
          "an input that can be read only once needs --schema, such as 'id BIGINT, name STRING'");
    }
    long rows = 0;
    for (InputFile file : inputs.files()) {
      Sample sample = new Sample(file.name(), badLines, sampling, rows);
      try {
        read(file, new AtomicLong(), List.of(), sample);
      } catch (Inputs.StopReading e) {
        break; // there are more rows than the sample takes
      } finally {
        rows = sample.rows;
      }
    }
    if (rows == 0) {
      throw CommandFailure.refused(
          "no row to infer the columns from in %s; say the columns with --schema"
              .formatted(inputs.names()));
    }
    List<Column> columns = new ArrayList<>();
    inferred.forEach(
        (name, type) -> {
          if (name.isBlank()) {
            throw CommandFailure.refused(
                "a column has no name: %s in %s; say the columns to take with --schema"
                    .formatted(inferred.keySet(), inputs.names()));
          }
          columns.add(new Column(name, type.type()));
        });
    return columns;
  }

  /** Looks at the first rows, and in all for columns that these do not have. */
  private final class Sample implements Fields {
    private final String name;
    private final BadLines badLines;
    private final Sampling sampling;
    private final Map<String, InferredType> row = new LinkedHashMap<>();
    private long rows;

    Sample(String name, BadLines badLines, Sampling sampling, long rows) {
      this.name = name;
      this.badLines = badLines;
      this.sampling = sampling;
      this.rows = rows;
    }

    @Override
    public void header(List<String> names) {}

    @Override
    public void field(String name, String text) {
      row.put(name, InferredType.of(text));
    }

    @Override
    public void field(String name, JsonParser json) throws IOException {
      row.put(name, InferredType.of(json));
      json.skipChildren();
    }

    @Override
    public void end(long line) {
      if (rows == SAMPLE) {
        if (sampling == Sampling.FIRST_ROWS) {
          throw new Inputs.StopReading();
        }
        early.addAll(inferred.keySet());
      }
      if (rows >= SAMPLE) {
        row.keySet().removeAll(early);
      }
      rows++;
      row.forEach((name, type) -> inferred.merge(name, type, InferredType::and));
      row.clear();
    }

    @Override
    public void refuse(long line, String reason) {
      row.clear();
      badLines.found(name, line, reason);
    }
  }

  /** Makes values of columns. */
  private final class Typed implements Fields {
    private final List<Column> columns;
    private final Sink sink;
    private final Map<String, Integer> positions = new HashMap<>();
    private final @Nullable Object[] values;
    private final boolean[] given;

    Typed(List<Column> columns, Sink sink) {
      this.columns = columns;
      this.sink = sink;
      this.values = new Object[columns.size()];
      this.given = new boolean[columns.size()];
      columns.forEach(column -> positions.put(column.name(), positions.size()));
    }

    @Override
    public void header(List<String> names) {
      sink.header(names);
    }

    @Override
    public void field(String name, String text) {
      int position = position(name);
      if (position >= 0) {
        given[position] = true;
        Column column = columns.get(position);
        InferredType type = inferred.get(name);
        if (type != null && !type.takes(InferredType.of(text))) {
          throw doesNotFit(text, column);
        }
        Kind kind = column.type().kind();
        boolean isNull = text.isEmpty() && kind != Kind.CHAR && kind != Kind.VARCHAR;
        values[position] = isNull ? null : value(column, text);
      }
    }

    /** Returns the value of a text, which is JSON if the value is nested. */
    private static @Nullable Object value(Column column, String text) {
      Kind kind = column.type().kind();
      if (kind != Kind.ARRAY && kind != Kind.MAP && kind != Kind.ROW) {
        return ValueParser.parse(column, text);
      }
      String problem = "it is not one JSON value";
      try (JsonParser in = ValueParser.JSON.createParser(text)) {
        if (in.nextToken() != null) {
          Object value = ValueParser.read(column, in);
          if (in.nextToken() == null) {
            return value;
          }
        }
      } catch (JsonProcessingException e) {
        problem = "it is not JSON: " + ValueParser.problem(e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      throw new IllegalArgumentException(
          "'%s' is not a value of %s: %s".formatted(text, column.declaration(), problem));
    }

    @Override
    public void field(String name, JsonParser json) throws IOException {
      int position = position(name);
      if (position < 0) {
        json.skipChildren();
        return;
      }
      given[position] = true;
      Column column = columns.get(position);
      InferredType type = inferred.get(name);
      if (type != null && !type.takes(InferredType.of(json))) {
        throw doesNotFit(json.getText(), column);
      }
      values[position] = ValueParser.read(column, json);
    }

    /** Returns the position of a column; -1 if it is not wanted. */
    private int position(String name) {
      Integer position = positions.get(name);
      if (position == null && !inferred.isEmpty()) {
        throw new LateColumnException(name);
      }
      return position == null ? -1 : position;
    }

    private static IllegalArgumentException doesNotFit(String text, Column column) {
      return new IllegalArgumentException(
          "'%s' does not fit the inferred %s; say the types with --schema".formatted(text, column));
    }

    @Override
    public void end(long line) throws IOException {
      sink.row(values, given, line);
      clear();
    }

    @Override
    public void refuse(long line, String reason) {
      clear();
      sink.refuse(line, reason);
    }

    private void clear() {
      Arrays.fill(values, null);
      Arrays.fill(given, false);
    }
  }
}
