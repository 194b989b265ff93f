package io.bsdb.row;

/**
 * A named column of a {@link Schema}, or a named field of a ROW type.
 *
 * @param name any well-formed text that is not blank; names are case-sensitive
 * @param type the type, nullability included
 */
public record Column(String name, ColumnType type) {
  /** Throws {@link IllegalArgumentException} when the name is blank or malformed. */
  public Column {
    if (name.isBlank()) {
      throw new IllegalArgumentException("column name is blank");
    }
    String problem = MalformedText.problem(name);
    if (problem != null) {
      throw new IllegalArgumentException("column name: " + problem);
    }
  }

  /**
   * Returns a column whose type is given as text, such as {@code Column.of("population",
   * "BIGINT")}.
   */
  public static Column of(String name, String type) {
    return new Column(name, ColumnType.parse(type));
  }

  /** Returns the column as declared: as {@link #toString}, with IP and IPV4. */
  public String declaration() {
    return ColumnType.quoteName(name) + ' ' + type.declaration();
  }

  /** Returns the column as in DDL, for example {@code `population` BIGINT NOT NULL}. */
  @Override
  public String toString() {
    return ColumnType.quoteName(name) + ' ' + type;
  }
}
