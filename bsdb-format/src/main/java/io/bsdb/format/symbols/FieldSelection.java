package io.bsdb.format.symbols;

/**
 * The fields of variable width that will be read of rows: the others need not be decoded, and may
 * come out empty. Immutable.
 */
public final class FieldSelection {
  /** Selects every field, or all of a value that is no row. */
  public static final FieldSelection ALL = new FieldSelection(true);

  private final boolean[] selected;
  private final boolean all;

  private FieldSelection(boolean all, boolean... selected) {
    this.all = all;
    this.selected = selected;
  }

  /**
   * Selects some fields.
   *
   * @param selected by number among the fields of variable width
   */
  public static FieldSelection of(boolean[] selected) {
    return new FieldSelection(false, selected.clone());
  }

  /** Returns whether a field of variable width is selected. */
  boolean contains(int number) {
    return all || selected[number];
  }
}
