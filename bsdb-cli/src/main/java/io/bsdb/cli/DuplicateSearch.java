package io.bsdb.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Finds where a key stands in the inputs, by reading them again: a build keeps no line numbers. */
final class DuplicateSearch {
  private static final int PLACES = 2;

  private DuplicateSearch() {}

  /**
   * The first two places of a key, as {@code file:line}; fewer if the inputs have changed since.
   */
  static List<String> places(byte[] key, Inputs inputs, RecordFormat format, Console console)
      throws IOException {
    List<String> places = new ArrayList<>();
    BadLines badLines = BadLines.ignored(console);
    for (InputFile file : inputs.files()) {
      try (InputStream in = file.open(InputStream.nullInputStream(), new AtomicLong())) {
        format.read(
            in,
            file.name(),
            (bytes, offset, length, value, valueOffset, valueLength, line) -> {
              if (Arrays.equals(bytes, offset, offset + length, key, 0, key.length)) {
                places.add(file.name() + ":" + line);
                if (places.size() == PLACES) {
                  throw new StopReading();
                }
              }
            },
            badLines);
      } catch (StopReading e) {
        return places;
      }
    }
    return places;
  }
}
