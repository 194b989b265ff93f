package io.bsdb.cli.output;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small files of text that options name. */
public final class TextFile {
  private TextFile() {}

  /**
   * Returns the text of a file in UTF-8.
   *
   * @throws CommandFailure naming the file if it is not UTF-8
   */
  public static String read(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw CommandFailure.unreadable("not UTF-8: " + file);
    }
  }
}
