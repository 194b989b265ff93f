package io.bsdb.row.text;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * IP addresses as values that sort: 16 bytes, where an IPv4 address is the last four after {@code
 * ::ffff:}; or, for IPv4 alone, a number. No text of an address is Base64 or a number.
 */
final class InternetAddress {
  /** Bytes of an address. */
  static final int LENGTH = 16;

  private static final int V4_LENGTH = 4;
  private static final long MAX_V4 = 0xFFFF_FFFFL;
  private static final String OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  private static final Pattern V4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");

  private InternetAddress() {}

  /**
   * Returns whether a text has the form of an address: no other text of bytes has these characters.
   */
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
   * Returns the text of an address, IPv6 as RFC 5952 has it; null if it does not have so many
   * bytes.
   */
  static @Nullable String text(byte[] bytes) {
    if (bytes.length != LENGTH) {
      return null;
    }
    if (isV4(bytes)) {
      return text(ByteBuffer.wrap(bytes).getInt(LENGTH - V4_LENGTH) & MAX_V4);
    }
    int[] groups = new int[LENGTH / Short.BYTES];
    for (int i = 0; i < groups.length; i++) {
      groups[i] = ByteBuffer.wrap(bytes).getShort(i * Short.BYTES) & 0xFFFF;
    }
    // The longest run of two or more zeros, of equal ones the first.
    int run = 0;
    int runLength = 1;
    for (int i = 0; i < groups.length; i++) {
      int end = i;
      while (end < groups.length && groups[end] == 0) {
        end++;
      }
      if (end - i > runLength) {
        run = i;
        runLength = end - i;
      }
    }
    if (runLength == 1) {
      return joined(groups, 0, groups.length);
    }
    return joined(groups, 0, run) + "::" + joined(groups, run + runLength, groups.length);
  }

  private static String joined(int[] groups, int from, int to) {
    return Arrays.stream(groups, from, to)
        .mapToObj(Integer::toHexString)
        .collect(Collectors.joining(":"));
  }

  /** Returns whether the bytes are those of an IPv4 address, {@code ::ffff:a.b.c.d}. */
  private static boolean isV4(byte[] bytes) {
    int mark = LENGTH - V4_LENGTH - 2;
    return Arrays.equals(bytes, 0, mark, new byte[mark], 0, mark)
        && bytes[mark] == (byte) 0xFF
        && bytes[mark + 1] == (byte) 0xFF;
  }

  /** Returns the text of an IPv4 address; null if the number is none. */
  static @Nullable String text(long number) {
    return number < 0 || number > MAX_V4
        ? null
        : (number >> 24)
            + "."
            + (number >> 16 & 0xFF)
            + "."
            + (number >> 8 & 0xFF)
            + "."
            + (number & 0xFF);
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
