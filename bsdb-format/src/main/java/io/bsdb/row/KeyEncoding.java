package io.bsdb.row;

import io.bsdb.format.UnsupportedVersionException;
import java.util.Arrays;
import java.util.Locale;

/**
 * An encoding of keys, by the name that the schema in a manifest gives. {@link KeyWriter#of} and
 * {@link KeyView#of} follow the encoding of their schema.
 */
public enum KeyEncoding {
  /** Does not sort; a single column is what Kafka's serializers write. */
  PLAIN,
  /**
   * Sorts: the unsigned order of the bytes is the order of the columns' values, and the encoding of
   * leading columns is a prefix of the key. For tables in the order of their keys.
   */
  ORDERED;

  /** Ends a text or bytes that a column follows; {@link #ESCAPED} stands for a zero byte. */
  static final byte END = 1;

  static final byte ESCAPED = (byte) 0xFF;

  /** Returns the name in the manifest. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the encoding of this name.
   *
   * @param file named in errors
   * @throws UnsupportedVersionException naming an encoding that this library does not have
   */
  static KeyEncoding of(String label, String file) throws UnsupportedVersionException {
    return Arrays.stream(values())
        .filter(encoding -> encoding.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new UnsupportedVersionException(
                    "the keys have an encoding that this bsdb does not support: file=%s keyEncoding='%s'; upgrade bsdb"
                        .formatted(file, label)));
  }

  /** Returns what the bits of a signed number are combined with by exclusive or. */
  long sign() {
    return this == ORDERED ? Long.MIN_VALUE : 0;
  }

  /** Encodes the bits of a FLOAT: so that they sort, all are flipped if negative, else the sign. */
  int encodeFloat(int bits) {
    return this == PLAIN ? bits : bits ^ (bits >> 31 | Integer.MIN_VALUE);
  }

  /** Decodes the bits of a FLOAT. */
  int decodeFloat(int bits) {
    return this == PLAIN ? bits : bits ^ (~bits >> 31 | Integer.MIN_VALUE);
  }

  /** Encodes the bits of a DOUBLE; as {@link #encodeFloat}. */
  long encodeDouble(long bits) {
    return this == PLAIN ? bits : bits ^ (bits >> 63 | Long.MIN_VALUE);
  }

  /** Decodes the bits of a DOUBLE. */
  long decodeDouble(long bits) {
    return this == PLAIN ? bits : bits ^ (~bits >> 63 | Long.MIN_VALUE);
  }

  /** Returns the bytes of a column in a key; 0: variable. */
  int width(ColumnType type) {
    Storage storage = Storage.of(type);
    boolean decimal = storage == Storage.DECIMAL_LONG || storage == Storage.DECIMAL_BYTES;
    return decimal && this == ORDERED ? Decimals.width(type.precision()) : storage.keyWidth();
  }
}
