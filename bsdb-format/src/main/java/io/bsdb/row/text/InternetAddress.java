package io.bsdb.row.text;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * IP addresses as values that sort: 16 bytes, of which an IPv4 address is the last four behind
 * {@code ::ffff:}; or, of IPv4 alone, a number. No text of an address is Base64 or a number.
 */
final class InternetAddress {
  /** Bytes of an address. */
  static final int LENGTH = 16;

  private static final int V4_LENGTH = 4;
  private static final String OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  private static final Pattern V4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");

  private InternetAddress() {}

  /** Whether a text has the form of an address: no other text of bytes has these characters. */
  static boolean isOne(String text) {
    return text.indexOf(':') >= 0 || text.indexOf('.') >= 0;
  }

  /**
   * Returns the bytes of an address.
   *
   * @throws IllegalArgumentException if the text is none
   */
  static byte[] parse(String text) {
    boolean v6 = text.indexOf(':') >= 0 && text.indexOf('%') < 0 && text.indexOf('[') < 0;
    if (!v6 && !V4.matcher(text).matches()) {
      throw new IllegalArgumentException("not an IP address");
    }
    byte[] bytes;
    try {
      bytes = InetAddress.getByName(text).getAddress(); // a literal: nothing is resolved
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not an IP address", e);
    }
    if (bytes.length == LENGTH) {
      return bytes;
    }
    byte[] mapped = new byte[LENGTH];
    Arrays.fill(mapped, LENGTH - V4_LENGTH - 2, LENGTH - V4_LENGTH, (byte) 0xFF);
    System.arraycopy(bytes, 0, mapped, LENGTH - V4_LENGTH, V4_LENGTH);
    return mapped;
  }

  /**
   * Returns an IPv4 address as a number.
   *
   * @throws IllegalArgumentException if the text is none
   */
  static long number(String text) {
    if (!V4.matcher(text).matches()) {
      throw new IllegalArgumentException("neither a whole number nor an IPv4 address");
    }
    long number = 0;
    for (String octet : text.split("\\.", -1)) {
      number = number << Byte.SIZE | Integer.parseInt(octet);
    }
    return number;
  }
}
