package io.bsdb.cli.input;

/** A row has a column that the rows from which the columns were inferred did not have. */
public final class LateColumnException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LateColumnException(String column) {
    super("column '%s' is not in the first rows".formatted(column));
  }
}
