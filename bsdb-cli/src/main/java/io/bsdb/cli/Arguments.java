package io.bsdb.cli;

import io.bsdb.cli.output.CommandFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The arguments of this process. */
final class Arguments {
  private static final String REPLACEMENT = "\ufffd";

  /** The command line as the system keeps it: its words, each followed by a zero byte. */
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

  private Arguments() {}

  /**
   * Refuses arguments that Java had to replace parts of, as they were not in UTF-8: different keys
   * would become one. Where the system does not show what they were, any replacement character is
   * refused.
   *
   * @throws CommandFailure if an argument is malformed
   */
  static void requireWellFormed(String... arguments) throws IOException {
    for (String argument : arguments) {
      if (argument.contains(REPLACEMENT) && !asGiven(arguments)) {
        throw CommandFailure.usage(
            "an argument is not UTF-8: '%s'; give keys of other bytes with --encoding hex or base64"
                .formatted(argument));
      }
    }
  }

  private static boolean asGiven(String... arguments) throws IOException {
    if (!Files.exists(COMMAND_LINE)) {
      return false;
    }
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(COMMAND_LINE));
    try {
      String words = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      return words.endsWith(String.join("\0", arguments) + "\0");
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
