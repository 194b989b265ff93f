package io.bsdb.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a table that is built from rows, and where it came from.
 *
 * @param inferred what the columns were taken for, by name; null if the user gave the schema
 */
record TableSchema(Schema schema, @Nullable Map<String, InferredType> inferred) {
  private static final int SAMPLE = 10_000;

  /** As the user says. */
  static TableSchema given(List<Column> columns, List<String> key) {
    return new TableSchema(FormatArguments.schema(columns, key), null);
  }

  /** As the first rows suggest: all columns, in the order in which they come up. */
  static TableSchema inferred(Inputs inputs, RowSource source, List<String> key, BadLines badLines)
      throws IOException {
    if (!inputs.canBeReadAgain()) {
      throw CommandFailure.usage(
          "an input that can be read only once needs --schema, such as 'id BIGINT, name STRING'");
    }
    Sample sample = new Sample(source, badLines);
    try {
      for (InputFile file : inputs.files()) {
        try (InputStream in = file.open(InputStream.nullInputStream(), new AtomicLong())) {
          sample.name = file.name();
          source.read(in, file.name(), sample);
        }
      }
    } catch (StopReading e) {
      // There are more rows than the sample takes.
    }
    if (sample.rows == 0) {
      throw CommandFailure.refused(
          "no row to infer the columns from in %s; say the columns with --schema"
              .formatted(inputs.names()));
    }
    List<Column> columns = new ArrayList<>();
    sample.types.forEach((name, type) -> columns.add(new Column(name, type.type())));
    return new TableSchema(FormatArguments.schema(columns, key), sample.types);
  }

  /** Looks at the first rows. */
  private static final class Sample implements RowSource.Sink {
    final Map<String, InferredType> types = new LinkedHashMap<>();
    private final RowSource source;
    private final BadLines badLines;
    private String name = "";
    private int rows;

    Sample(RowSource source, BadLines badLines) {
      this.source = source;
      this.badLines = badLines;
    }

    @Override
    public void row(Map<String, JsonNode> fields, long line) {
      if (rows++ == SAMPLE) {
        throw new StopReading();
      }
      fields.forEach(
          (name, value) -> types.merge(name, InferredType.of(value, source), InferredType::and));
    }

    @Override
    public void refuse(long line, String reason) {
      badLines.found(name, line, reason);
    }
  }
}
