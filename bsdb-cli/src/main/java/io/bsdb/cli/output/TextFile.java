package io.bsdb.cli.output;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of text that options name. */
public final class TextFile {
  private TextFile() {}

  /** Opens a file to be read. */
  public static InputStream open(Path file) throws IOException {
    requireNoDirectory(file);
    return Files.newInputStream(file);
  }

  /** Refuses a directory, which can be opened: the message of a read does not name it. */
  private static void requireNoDirectory(Path file) {
    if (Files.isDirectory(file)) {
      throw CommandFailure.unreadable("expected a file, found a directory: '%s'".formatted(file));
    }
  }

  /**
   * Returns the text of a file in UTF-8.
   *
   * @throws CommandFailure naming the file if it is not UTF-8
   */
  public static String read(Path file) throws IOException {
    requireNoDirectory(file);
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw CommandFailure.unreadable("not UTF-8: " + file);
    }
  }
}
