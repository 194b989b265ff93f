package io.bsdb.cli.output;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;

/** Encoding of bytes as text, on the command line and in files. */
public enum Encoding {
  /** As they are. */
  UTF8,
  HEX,
  BASE64;

  private static final int EXCERPT = 80;
  private static final HexFormat DIGITS = HexFormat.of();

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the bytes that the text stands for.
   *
   * @throws IllegalArgumentException if it stands for none
   */
  public byte[] decode(byte[] text, int offset, int length) {
    return switch (this) {
      case UTF8 -> Arrays.copyOfRange(text, offset, offset + length);
      case HEX -> DIGITS.parseHex(new String(text, offset, length, StandardCharsets.ISO_8859_1));
      case BASE64 -> Base64.getDecoder().decode(Arrays.copyOfRange(text, offset, offset + length));
    };
  }

  /** Returns the bytes that a text stands for, as {@link #decode(byte[], int, int)} does. */
  public byte[] decode(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return decode(bytes, 0, bytes.length);
  }

  /** Returns the text that stands for the bytes. */
  public byte[] encode(byte[] bytes) {
    return switch (this) {
      case UTF8 -> bytes;
      case HEX -> DIGITS.formatHex(bytes).getBytes(StandardCharsets.ISO_8859_1);
      case BASE64 -> Base64.getEncoder().encode(bytes);
    };
  }

  /** Returns the bytes for a message: short. */
  public static String excerpt(byte[] bytes, int offset, int length) {
    String text = new String(bytes, offset, Math.min(length, 4 * EXCERPT), StandardCharsets.UTF_8);
    if (length <= 4 * EXCERPT && text.codePointCount(0, text.length()) <= EXCERPT) {
      return text;
    }
    return text.substring(0, text.offsetByCodePoints(0, EXCERPT)) + '…';
  }
}
