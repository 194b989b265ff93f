package io.bsdb.format.row;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A VARIANT: two byte strings, whose meaning is that of the program that wrote them. Immutable. */
public final class Variant {
  private final byte[] value;
  private final byte[] metadata;

  /** Copies both arrays. */
  public Variant(byte[] value, byte[] metadata) {
    this.value = value.clone();
    this.metadata = metadata.clone();
  }

  /** A copy. */
  public byte[] value() {
    return value.clone();
  }

  /** A copy. */
  public byte[] metadata() {
    return metadata.clone();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Variant variant
        && Arrays.equals(value, variant.value)
        && Arrays.equals(metadata, variant.metadata);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(value) + Arrays.hashCode(metadata);
  }

  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return "Variant[value=" + hex.formatHex(value) + ", metadata=" + hex.formatHex(metadata) + "]";
  }
}
