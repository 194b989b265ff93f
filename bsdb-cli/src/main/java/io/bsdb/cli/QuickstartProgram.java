package io.bsdb.cli;

import io.bsdb.cli.output.Console;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A program of 'bsdb quickstart', found as a service: it needs Flink and Kafka, commands do not.
 */
public interface QuickstartProgram {
  /** Program that enriches the stream. */
  enum Engine {
    FLINK,
    KAFKA_STREAMS,
    GLOBAL_TABLE,
    LIVE,
    HISTORY
  }

  /**
   * Runs it.
   *
   * @param home the project's directory
   * @param directory where the table, the results and the log go
   * @return whether every row came out
   */
  boolean run(Engine engine, Path home, Path directory, long events, Console console)
      throws IOException, InterruptedException;
}
