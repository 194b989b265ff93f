package io.bsdb.cli.input;

import io.bsdb.row.Column;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Finds rows in an input. Opens it as it needs: as a stream, or the file itself. */
public interface RowSource {
  /** Takes rows. */
  interface Sink {
    /** Takes the names of all fields, if the input has them in advance. */
    void header(List<String> names);

    /**
     * Takes a row. The arrays change after the call.
     *
     * @param values of the columns asked for, in the classes that {@code RowCodec} takes
     * @param given which of them the row has
     */
    void row(@Nullable Object[] values, boolean[] given, long line) throws IOException;

    /** Receives a line that is no row. */
    void refuse(long line, String reason);
  }

  /** Rows from which columns are inferred. */
  enum Sampling {
    FIRST_ROWS,
    /** All, for columns that the first rows do not have; their types are those of all rows. */
    ALL_ROWS
  }

  /**
   * Returns the columns of the inputs: those that they declare, or that their rows suggest. Reading
   * throws {@link LateColumnException} where the first rows did not show all.
   */
  List<Column> columns(Inputs inputs, BadLines badLines, Sampling sampling) throws IOException;

  /** Returns whether rows name their fields, and so may lack columns that are asked for. */
  boolean hasNames();

  /**
   * Reads an input to its end.
   *
   * @param columns to read
   * @param stored is increased by the bytes read
   */
  void read(InputFile file, AtomicLong stored, List<Column> columns, Sink sink) throws IOException;

  /** A row has a column that the rows from which the columns were inferred did not have. */
  final class LateColumnException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LateColumnException(String column) {
      super("column '%s' is not in the first rows".formatted(column));
    }
  }
}
