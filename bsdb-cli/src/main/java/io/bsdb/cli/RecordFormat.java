package io.bsdb.cli;

import java.io.IOException;
import java.io.InputStream;

/** How records lie in an input. */
interface RecordFormat {
  /**
   * Reads an input to its end.
   *
   * @param name of the input, for messages
   * @param badLines is told of each line that is not a record
   */
  void read(InputStream in, String name, RecordSink sink, BadLines badLines) throws IOException;
}
