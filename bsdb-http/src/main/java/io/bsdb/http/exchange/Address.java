package io.bsdb.http.exchange;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a request's address, decoded once.
 *
 * @param segments of the path
 * @param parameters of the query; none is given twice
 */
public record Address(List<String> segments, Map<String, String> parameters) {
  /** Stands for bytes that are not UTF-8, and so for another key than was asked for. */
  private static final char REPLACEMENT = '\uFFFD';

  /** Address of a request whose own cannot be decoded. */
  static final Address NONE = new Address(List.of(), Map.of());

  public static Address of(String path, @Nullable String query) {
    List<String> segments = new ArrayList<>();
    if (!path.equals("/")) {
      for (String segment : path.substring(1).split("/", -1)) {
        segments.add(decode(segment, false));
      }
    }
    if (query == null || query.isEmpty()) {
      return new Address(segments, Map.of());
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String parameter : query.split("&", -1)) {
      int equals = parameter.indexOf('=');
      String name = decode(equals < 0 ? parameter : parameter.substring(0, equals), true);
      String value = equals < 0 ? "" : decode(parameter.substring(equals + 1), true);
      if (parameters.put(name, value) != null) {
        throw new Problem(Problem.Kind.BAD_REQUEST, "parameter '%s' is given twice", name);
      }
    }
    return new Address(segments, parameters);
  }

  /** Percent-decoding, strict: what is not UTF-8 is an error. */
  private static String decode(String text, boolean form) {
    if (text.indexOf(REPLACEMENT) >= 0) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST,
          "not UTF-8 in the address: '%s'; percent-encode what is not ASCII",
          text);
    }
    if (text.indexOf('%') < 0 && !(form && text.indexOf('+') >= 0)) {
      return text;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
        int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
        if (high < 0 || low < 0) {
          throw new Problem(Problem.Kind.BAD_REQUEST, "malformed percent-encoding: %s", text);
        }
        bytes.write(high << 4 | low);
        i += 2;
      } else if (c == '+' && form) {
        bytes.write(' ');
      } else {
        bytes.writeBytes(Character.toString(text.codePointAt(i)).getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(text.codePointAt(i)) - 1;
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST,
          "not UTF-8 in the address: '%s'; give other bytes with encoding=hex",
          text);
    }
  }

  public @Nullable String parameter(String name) {
    return parameters.get(name);
  }

  /** Returns a parameter that is a number. */
  public int number(String name, int fallback, int max) {
    String text = parameters.get(name);
    if (text == null) {
      return fallback;
    }
    int number = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
    if (number >= 1 && number <= max) {
      return number;
    }
    throw new Problem(
        Problem.Kind.BAD_REQUEST,
        "parameter '%s' is '%s': expected a number from 1 to %d",
        name,
        text,
        max);
  }

  /** Returns a parameter that is true or false; false if it is not given. */
  public boolean flag(String name) {
    String text = parameters.get(name);
    if (text == null || text.equals("true") || text.equals("false")) {
      return "true".equals(text);
    }
    throw new Problem(Problem.Kind.BAD_REQUEST, "%s is '%s': expected true or false", name, text);
  }

  /** Refuses parameters that mean nothing at this address. */
  public void allow(Set<String> names) {
    for (String name : parameters.keySet()) {
      if (!names.contains(name)) {
        throw new Problem(
            Problem.Kind.BAD_REQUEST,
            "no parameter '%s' at this address; there are %s",
            name,
            names.stream().sorted().toList());
      }
    }
  }
}
