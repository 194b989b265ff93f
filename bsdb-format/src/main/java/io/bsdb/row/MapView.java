package io.bsdb.row;

/**
 * A MAP read in place: entry i is key i and value i.
 *
 * <p>Keys are as they were written: neither sorted nor checked for duplicates.
 */
public final class MapView {
  private final ArrayView keys;
  private final ArrayView values;

  MapView(RowView pair) {
    this.keys = pair.arrayAt(0);
    this.values = pair.arrayAt(1);
    if (keys.size() != values.size()) {
      throw Damage.found("map: " + keys.size() + " keys, " + values.size() + " values");
    }
  }

  /** Returns the number of entries. */
  public int size() {
    return keys.size();
  }

  public ArrayView keys() {
    return keys;
  }

  public ArrayView values() {
    return values;
  }
}
