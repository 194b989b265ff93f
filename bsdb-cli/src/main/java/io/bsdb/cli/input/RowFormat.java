package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.row.Column;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Rows with a schema. */
public final class RowFormat implements RecordFormat {
  private final RowSource source;
  private final RowCodec codec;

  /**
   * A format of these columns.
   *
   * @throws CommandFailure if they have no such key
   */
  public RowFormat(RowSource source, List<Column> columns, List<String> key) {
    this.source = source;
    try {
      this.codec = RowCodec.of(Schema.of(columns, key));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage() + "; --key names columns of " + columns);
    }
  }

  @Override
  public Schema schema() {
    return codec.schema();
  }

  @Override
  public String describe(byte[] key) {
    return RowJsonWriter.of(schema()).key(key);
  }

  @Override
  public void read(InputFile file, AtomicLong stored, Sink sink, BadLines badLines)
      throws IOException {
    source.read(file, stored, schema().columns(), new Rows(file.name(), sink, badLines));
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
    public void row(@Nullable Object[] values, long line) throws IOException {
      for (int i = 0; i < values.length; i++) {
        int keyPosition = schema().keyPosition(i);
        if (keyPosition >= 0) {
          keyValues[keyPosition] = values[i];
        } else {
          otherValues[schema().valuePosition(i)] = values[i];
        }
      }
      byte[] key;
      byte[] value;
      try {
        key = codec.encodeKey(keyValues);
        value = codec.encodeValue(otherValues);
      } catch (IllegalArgumentException e) {
        refuse(line, String.valueOf(e.getMessage()));
        return;
      }
      if (RecordFormat.fit(key.length, value.length, name, line, badLines)) {
        sink.add(key, 0, key.length, value, 0, value.length, line);
      }
    }

    @Override
    public void refuse(long line, String reason) {
      badLines.found(name, line, reason);
    }
  }
}
