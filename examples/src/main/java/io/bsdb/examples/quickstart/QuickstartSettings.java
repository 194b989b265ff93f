package io.bsdb.examples.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Settings of a quickstart.
 *
 * @param directory gets the table and the log
 * @param citiesCsv the places
 * @param events check-ins in the stream, 1 or more
 */
public record QuickstartSettings(Path directory, Path citiesCsv, long events) {
  /** Default number of check-ins. */
  static final long DEFAULT_EVENTS = 1_000_000;

  public QuickstartSettings {
    if (events < 1) {
      throw new IllegalArgumentException("number of events: expected>=1 actual=" + events);
    }
    directory = directory.toAbsolutePath().normalize();
    citiesCsv = citiesCsv.toAbsolutePath().normalize();
  }

  /** Reads the settings from the arguments {@code [directory [places.csv.gz]]}. */
  static QuickstartSettings of(String[] arguments) {
    return new QuickstartSettings(
        Path.of(arguments.length > 0 ? arguments[0] : "bsdb-quickstart"),
        Path.of(arguments.length > 1 ? arguments[1] : "examples/data/cities500.csv.gz"),
        DEFAULT_EVENTS);
  }

  void requireCities() throws IOException {
    if (!Files.isReadable(citiesCsv)) {
      throw new IOException("cannot read the places: " + citiesCsv);
    }
  }
}
