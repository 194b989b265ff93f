package io.bsdb.format.symbols;

/**
 * The fields that will be read of rows: others of variable width need not be decoded, and may come
 * out empty. Immutable.
 */
public final class FieldSelection {
  /** Selects every field, or all of a value that is no row. */
  public static final FieldSelection ALL = new FieldSelection(true, Integer.MAX_VALUE);

  private final boolean[] selected;
  private final boolean all;
  private final int prefix;

  private FieldSelection(boolean all, int prefix, boolean... selected) {
    this.all = all;
    this.prefix = prefix;
    this.selected = selected;
  }

  /**
   * Selects some fields.
   *
   * @param selected by number among the fields of variable width
   * @param prefix maximum number of leading bytes of a row that will be read
   */
  public static FieldSelection of(boolean[] selected, int prefix) {
    return new FieldSelection(false, prefix, selected.clone());
  }

  /** Returns the maximum number of leading bytes of a row that will be read. */
  public int prefix() {
    return prefix;
  }

  /** Returns whether a field of variable width is selected. */
  boolean contains(int number) {
    return all || selected[number];
  }
}
