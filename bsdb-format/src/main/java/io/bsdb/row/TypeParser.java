package io.bsdb.row;

import io.bsdb.row.ColumnType.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Recursive-descent parser of type texts; the nesting depth and the length of the text are bounded.
 */
final class TypeParser {
  private static final int LONGEST_EXCERPT = 60;

  private final String text;
  private int position;
  private int depth;

  /** Whether the text must have the form that manifests have. */
  private boolean stored;

  TypeParser(String text) {
    if (text.length() > ColumnType.MAX_TEXT_LENGTH) {
      throw new IllegalArgumentException(
          "type text has %d characters, more than %d"
              .formatted(text.length(), ColumnType.MAX_TEXT_LENGTH));
    }
    this.text = text;
  }

  /**
   * Parses a type as manifests have it: without IP and IPV4, with the names of fields in quotes.
   */
  static ColumnType parseStored(String text) {
    var parser = new TypeParser(text);
    parser.stored = true;
    return parser.parse();
  }

  ColumnType parse() {
    ColumnType type = type();
    if (position < text.length()) {
      throw error("expected the end", position);
    }
    return type;
  }

  /** Parses the fields of a row, or the columns of a table. */
  List<Column> parseFields() {
    List<Column> fields = fields();
    if (position < text.length()) {
      throw error("expected a comma or the end", position);
    }
    return fields;
  }

  private ColumnType type() {
    if (++depth > ColumnType.MAX_DEPTH) {
      throw error("nested deeper than " + ColumnType.MAX_DEPTH, position);
    }
    skipSpaces();
    int start = position;
    ColumnType type;
    try {
      type = nullableType(word(), start);
    } catch (SyntaxException | UnknownTypeException e) {
      throw e;
    } catch (IllegalArgumentException e) { // a parameter out of range: add where
      throw error(String.valueOf(e.getMessage()), start);
    }
    skipSpaces();
    if (position < text.length() && isLetter(text.charAt(position))) {
      expectWord("NOT", "NOT NULL or the end of the type");
      expectWord("NULL", "NULL");
      skipSpaces();
      type = type.notNull();
    }
    depth--;
    return type;
  }

  private ColumnType nullableType(String word, int start) {
    return switch (word) {
      case "CHAR" -> ColumnType.charOf(parameter());
      case "VARCHAR" -> ColumnType.varchar(parameter());
      case "STRING" -> ColumnType.string();
      case "BINARY" -> ColumnType.binary(parameter());
      case "VARBINARY" -> ColumnType.varbinary(parameter());
      case "BYTES" -> ColumnType.bytes();
      case "DECIMAL" -> decimal();
      case "TIME" -> ColumnType.time(parameterOr(0));
      case "TIMESTAMP" -> ColumnType.timestamp(parameterOr(6));
      case "TIMESTAMP_LTZ" -> ColumnType.timestampLtz(parameterOr(6));
      case "IP", "IPV4" -> {
        if (stored) {
          throw new UnknownTypeException(message("unknown type " + word, start));
        }
        yield word.equals("IP") ? ColumnType.ip() : ColumnType.ipv4();
      }
      case "ARRAY" -> ColumnType.array(element());
      case "MAP" -> map();
      case "ROW" -> row();
      case "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DATE" ->
          ColumnType.of(Kind.valueOf(word));
      case "" -> throw error("expected a type", start);
      default -> throw new UnknownTypeException(message("unknown type " + word, start));
    };
  }

  private ColumnType decimal() {
    int precision = 10;
    int scale = 0;
    if (tryConsume('(')) {
      precision = number();
      scale = tryConsume(',') ? number() : 0;
      expect(')');
    }
    return ColumnType.decimal(precision, scale);
  }

  private ColumnType element() {
    expect('<');
    ColumnType element = type();
    expect('>');
    return element;
  }

  private ColumnType map() {
    expect('<');
    ColumnType key = type();
    expect(',');
    ColumnType value = type();
    expect('>');
    return ColumnType.map(key, value);
  }

  private ColumnType row() {
    expect('<');
    if (tryConsume('>')) {
      return ColumnType.row(List.of());
    }
    List<Column> fields = fields();
    expect('>');
    return ColumnType.row(fields);
  }

  private List<Column> fields() {
    List<Column> fields = new ArrayList<>();
    do {
      skipSpaces();
      int start = position;
      boolean quoted = position < text.length() && text.charAt(position) == '`';
      if (stored && !quoted) {
        throw error("expected a name in `", start);
      }
      String name = quoted ? quoted('`') : identifier();
      if (name.isBlank()) {
        throw error("expected a name", start);
      }
      fields.add(new Column(name, type()));
    } while (tryConsume(','));
    return fields;
  }

  private int parameter() {
    expect('(');
    int number = number();
    expect(')');
    return number;
  }

  private int parameterOr(int absent) {
    if (!tryConsume('(')) {
      return absent;
    }
    int number = number();
    expect(')');
    return number;
  }

  private int number() {
    skipSpaces();
    int start = position;
    while (position < text.length() && isDigit(text.charAt(position))) {
      position++;
    }
    try {
      return Integer.parseInt(text, start, position, 10);
    } catch (NumberFormatException e) {
      throw error("expected a number from 0 to " + Integer.MAX_VALUE, start);
    }
  }

  /** Returns an identifier in upper case; empty if there is none. */
  private String word() {
    return identifier().toUpperCase(Locale.ROOT);
  }

  private String identifier() {
    int start = position;
    while (position < text.length()
        && (isLetter(text.charAt(position))
            || (position > start && isDigit(text.charAt(position))))) {
      position++;
    }
    return text.substring(start, position);
  }

  private void expectWord(String word, String expected) {
    skipSpaces();
    int start = position;
    if (!word().equals(word)) {
      throw error("expected " + expected, start);
    }
  }

  /** Parses a text in quotes, in which a doubled quote stands for one. */
  private String quoted(char quote) {
    expect(quote);
    int start = position;
    var value = new StringBuilder();
    while (position < text.length()) {
      char c = text.charAt(position++);
      if (c != quote) {
        value.append(c);
      } else if (position < text.length() && text.charAt(position) == quote) {
        value.append(quote);
        position++;
      } else {
        return value.toString();
      }
    }
    throw error("unclosed " + quote, start - 1);
  }

  private void expect(char expected) {
    if (!tryConsume(expected)) {
      throw error("expected " + expected, position);
    }
  }

  private boolean tryConsume(char expected) {
    skipSpaces();
    if (position < text.length() && text.charAt(position) == expected) {
      position++;
      return true;
    }
    return false;
  }

  private void skipSpaces() {
    while (position < text.length() && text.charAt(position) == ' ') {
      position++;
    }
  }

  private static boolean isLetter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private SyntaxException error(String problem, int at) {
    return new SyntaxException(message(problem, at));
  }

  private String message(String problem, int at) {
    String rest = text.substring(at, Math.min(text.length(), at + LONGEST_EXCERPT));
    String found = rest.isEmpty() ? "the end" : '"' + rest + '"';
    return "type text, position " + at + ": " + problem + ", found " + found;
  }

  /** The text names a type that this library does not have, perhaps one of a newer version. */
  static final class UnknownTypeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnknownTypeException(String message) {
      super(message);
    }
  }

  private static final class SyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    SyntaxException(String message) {
      super(message);
    }
  }
}
