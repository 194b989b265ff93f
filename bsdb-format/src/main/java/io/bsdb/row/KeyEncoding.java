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
  PLAIN;

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

  KeyWriter writer(Schema schema) {
    return switch (this) {
      case PLAIN -> new KeyWriter(schema);
    };
  }

  KeyView view(Schema schema) {
    return switch (this) {
      case PLAIN -> new KeyView(schema);
    };
  }
}
