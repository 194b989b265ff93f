package io.bsdb.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/** Keys and values that are text. */
public final class Utf8 {
  private Utf8() {}

  /** Returns the bytes of a text. */
  public static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  /** Returns the text of bytes; null, if there are none, as of an absent key. */
  public static @Nullable String text(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, UTF_8);
  }
}
