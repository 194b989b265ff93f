package io.bsdb.cli;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Finds rows in an input. */
interface RowSource {
  /** Texts may be as long as values. */
  StreamReadConstraints CONSTRAINTS =
      StreamReadConstraints.builder().maxStringLength(SnapshotFormat.MAX_VALUE_LENGTH).build();

  /** Takes rows as they stand in the input. */
  interface Sink {
    /**
     * One row.
     *
     * @param fields by name; the map changes after the call
     */
    void row(Map<String, JsonNode> fields, long line) throws IOException;

    /** A line that is no row. */
    void refuse(long line, String reason);
  }

  /** Reads an input to its end. */
  void read(InputStream in, String name, Sink sink) throws IOException;

  /**
   * Whether values have types, text being one of them, and a row may leave columns out. If not, all
   * is text, the empty text may stand for null, and a row has all columns.
   */
  boolean isTyped();
}
