package io.bsdb.cli.input;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Bytes given as text with the escapes {@code \t}, {@code \0}, {@code \\} and {@code \xHH}. */
public final class Separator {
  private final byte[] bytes;

  private Separator(byte[] bytes) {
    this.bytes = bytes;
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  /**
   * Parses it.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Separator of(String text) {
    try {
      byte[] bytes = parse(text);
      if (bytes.length == 0) {
        throw new IllegalArgumentException("it is empty");
      }
      for (byte b : bytes) {
        if (b == '\n') {
          throw new IllegalArgumentException("it has a line feed");
        }
      }
      return new Separator(bytes);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "not a separator: '%s': %s".formatted(text, e.getMessage()), e);
    }
  }

  private static byte[] parse(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int i = 0;
    while (i < text.length()) {
      int escape = text.indexOf('\\', i);
      int end = escape < 0 ? text.length() : escape;
      bytes.writeBytes(text.substring(i, end).getBytes(StandardCharsets.UTF_8));
      i = escape < 0 ? end : escape(text, end + 1, bytes);
    }
    return bytes.toByteArray();
  }

  /** Reads what follows a backslash; the result is where the text goes on. */
  private static int escape(String text, int at, ByteArrayOutputStream bytes) {
    char kind = at < text.length() ? text.charAt(at) : ' ';
    switch (kind) {
      case 't' -> bytes.write('\t');
      case '0' -> bytes.write(0);
      case '\\' -> bytes.write('\\');
      case 'x' -> {
        if (at + 3 > text.length()) {
          throw new IllegalArgumentException("\\x takes two hexadecimal digits");
        }
        bytes.write(Integer.parseInt(text.substring(at + 1, at + 3), 16));
        return at + 3;
      }
      default -> throw new IllegalArgumentException("the escapes are \\t, \\0, \\\\ and \\xHH");
    }
    return at + 1;
  }

  /** For picocli. */
  public static final class Converter implements ITypeConverter<Separator> {
    @Override
    public Separator convert(String text) {
      try {
        return of(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
