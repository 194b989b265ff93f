package io.bsdb.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The inputs of a command, and how records lie in them. */
public final class InputArguments {
  /** The formats by name. */
  public enum Kind {
    TEXT,
    CSV,
    JSONL,
    PARQUET
  }

  @Option(
      names = {"-i", "--input"},
      arity = "1..*",
      paramLabel = "FILE|DIR|-",
      description =
          "Files, directories (all regular files in them, by name, but for those that begin with ."
              + " or _), quoted patterns, or - for standard input. Files that end in .gz, .zst or"
              + " .zstd are decompressed.")
  private List<String> inputs = List.of();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text, csv, jsonl, or parquet in a build. Default: text.")
  private @Nullable Kind kind;

  @Option(
      names = "--separator",
      paramLabel = "TEXT",
      converter = Separator.Converter.class,
      description =
          "Stands between key and value, or between CSV fields. \\t, \\0 and \\xHH are understood."
              + " Default: one space; a comma in CSV.")
  private @Nullable Separator separator;

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description =
          "How text keys and values are written: utf8, hex or base64. Default: utf8, which keeps"
              + " bytes as they are.")
  private @Nullable Encoding encoding;

  @Option(
      names = "--no-header",
      description =
          "The first line of a CSV file is a row. The columns are those of --schema, in 'apply'"
              + " those of the table, in order, and then the operation; else c1, c2, and so on.")
  private boolean noHeader;

  @Option(
      names = "--charset",
      paramLabel = "NAME",
      converter = CharsetName.class,
      description =
          "The charset of text, csv and jsonl, such as windows-1252 or GB18030; the table has UTF-8."
              + " Default: UTF-8; text is kept as it is.")
  private @Nullable Charset charset;

  public boolean hasInputs() {
    return !inputs.isEmpty();
  }

  /** Returns whether one of these options is given. */
  public boolean isGiven() {
    return hasInputs()
        || kind != null
        || separator != null
        || encoding != null
        || charset != null
        || noHeader;
  }

  public Inputs inputs(Console console) throws IOException {
    if (!hasInputs()) {
      throw CommandFailure.usage("Missing required option: '--input=FILE|DIR|-'");
    }
    // Rows are read as UTF-8 in any case.
    boolean isRead = UTF_8.equals(charset) && !isText();
    return Inputs.of(inputs, console.in(), isRead ? null : charset);
  }

  /** Returns whether records are plain bytes, not rows. */
  public boolean isText() {
    if (noHeader && kind != Kind.CSV) {
      throw CommandFailure.usage("--no-header is for --format csv");
    }
    return kind == null || kind == Kind.TEXT;
  }

  /** Returns whether the inputs are Parquet files. */
  public boolean isParquet() {
    if (kind == Kind.PARQUET
        && (noHeader || separator != null || encoding != null || charset != null)) {
      throw CommandFailure.usage(
          "--separator, --encoding, --charset and --no-header are not for --format parquet");
    }
    return kind == Kind.PARQUET;
  }

  /** Returns what stands between the key and the value of a text. */
  public byte[] textSeparator() {
    return (separator == null ? Separator.of(" ") : separator).bytes();
  }

  /** Returns how keys and values are written in a text. */
  public Encoding textEncoding() {
    return encoding == null ? Encoding.UTF8 : encoding;
  }

  /** Returns what finds rows. */
  public RowSource rows() {
    if (encoding != null) {
      throw CommandFailure.usage("--encoding is for --format text");
    }
    if (kind == Kind.PARQUET) {
      throw CommandFailure.usage("--format parquet is for 'bsdb build'");
    }
    if (kind == Kind.CSV) {
      return noHeader ? CsvSource.withoutHeader(delimiter()) : CsvSource.withHeader(delimiter());
    }
    if (separator != null) {
      throw CommandFailure.usage("--separator is for --format text and csv");
    }
    return new JsonLinesSource();
  }

  /** For picocli. */
  static final class CharsetName implements ITypeConverter<Charset> {
    @Override
    public Charset convert(String text) {
      try {
        return Charset.forName(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "this Java has no charset '" + text + "', expected like windows-1252");
      }
    }
  }

  private char delimiter() {
    byte[] bytes = separator == null ? new byte[] {','} : separator.bytes();
    if (bytes.length != 1 || bytes[0] < 0) {
      throw CommandFailure.usage("CSV fields are separated by one ASCII character");
    }
    return (char) bytes[0];
  }
}
