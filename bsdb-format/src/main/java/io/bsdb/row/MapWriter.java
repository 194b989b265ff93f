package io.bsdb.row;

/**
 * Encodes one MAP: set key i and value i of each entry, in any order, then {@link #end()}.
 *
 * <p>Do not end the writers of keys and values: this writer does.
 */
public final class MapWriter {
  private final RowWriter pair;
  private final ArrayWriter keys;
  private final ArrayWriter values;

  MapWriter(RowWriter pair, int count) {
    this.pair = pair;
    this.keys = (ArrayWriter) pair.nestedAt(0);
    this.values = (ArrayWriter) pair.nestedAt(1);
    keys.begin(count);
    values.begin(count);
  }

  public FieldWriter keys() {
    return keys;
  }

  public FieldWriter values() {
    return values;
  }

  /**
   * Hands the map to the writer that it came from; throws {@link IllegalArgumentException} on a
   * null that is not allowed.
   */
  public void end() {
    keys.appendToParent(pair);
    values.appendToParent(pair);
    pair.end();
  }
}
