package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.format.Excerpt;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.PatternSyntaxException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The inputs of a command, in the order in which they are read. */
public record Inputs(List<InputFile> files) {
  private static final String STANDARD_INPUT = "-";

  /** Names standard input in messages. */
  public static final String STANDARD_INPUT_NAME = "(standard input)";

  private static final String GLOB_CHARACTERS = "*?[{";

  public Inputs {
    files = List.copyOf(files);
  }

  /**
   * Finds the files that the arguments name: files, directories (all regular files in them, by
   * name, but for hidden ones), patterns, and {@code -}.
   *
   * @param charset of text; null keeps bytes as they are
   * @throws CommandFailure if one of them names nothing
   */
  public static Inputs of(
      List<String> arguments, InputStream standardInput, @Nullable Charset charset)
      throws IOException {
    List<InputFile> files = new ArrayList<>();
    boolean hasStandardInput = false;
    for (String argument : arguments) {
      if (argument.equals(STANDARD_INPUT)) {
        if (hasStandardInput) {
          throw CommandFailure.usage("--input names standard input twice");
        }
        hasStandardInput = true;
        files.add(InputFile.of(STANDARD_INPUT_NAME, standardInput, charset));
      } else {
        addPaths(argument, charset, files);
      }
    }
    return new Inputs(files);
  }

  /** Returns standard input; what it throws says so. */
  public static InputStream standardInput(Console console) throws IOException {
    return InputFile.of(STANDARD_INPUT_NAME, console.in(), null).open(new AtomicLong());
  }

  /** Returns the one input that a query is. */
  public static Inputs ofQuery() {
    return new Inputs(List.of(InputFile.QUERY));
  }

  private static void addPaths(String argument, @Nullable Charset charset, List<InputFile> files)
      throws IOException {
    if (argument.isEmpty()) { // such as the value of an unset variable
      throw CommandFailure.usage("--input is empty; give '.' for the current directory");
    }
    Path path = Path.of(argument);
    if (argument.startsWith("-") && !Files.exists(path)) {
      throw CommandFailure.usage(
          "unknown option, or no such input: '%s'; --help shows the options".formatted(argument));
    }
    if (Files.isDirectory(path)) {
      List<Path> found = regularFiles(path);
      if (found.isEmpty()) {
        throw noFile(
            "%s; files in directories below it are not read, nor those that begin with . or _: name them, or give a pattern such as %s"
                .formatted(path, Excerpt.shellWord(path.resolve("**.csv"))));
      }
      addSorted(found, charset, files);
    } else if (Files.exists(path)) {
      files.add(InputFile.of(path, charset));
    } else if (globStart(argument) >= 0) {
      List<Path> found = matching(argument);
      if (found.isEmpty()) {
        throw noFile(argument);
      }
      addSorted(found, charset, files);
    } else {
      throw CommandFailure.unreadable("no such input: " + path);
    }
  }

  private static CommandFailure noFile(String input) {
    return CommandFailure.unreadable("no regular file in the input: " + input);
  }

  private static void addSorted(List<Path> paths, @Nullable Charset charset, List<InputFile> files)
      throws IOException {
    for (Path path : paths.stream().sorted().toList()) {
      files.add(InputFile.of(path, charset));
    }
  }

  private static List<Path> regularFiles(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.filter(entry -> !isHidden(entry) && Files.isRegularFile(entry)).toList();
    }
  }

  /** Returns whether a file is not of the data, such as _SUCCESS, as in Spark and Hive. */
  private static boolean isHidden(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith(".") || name.startsWith("_");
  }

  /** Files below the directory that stands before the first pattern character. */
  private static List<Path> matching(String pattern) throws IOException {
    int slash = pattern.lastIndexOf('/', globStart(pattern));
    Path root = slash < 0 ? Path.of("") : Path.of(pattern.substring(0, slash + 1));
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    String below = pattern.substring(slash + 1);
    PathMatcher matcher = matcher(below, pattern);
    boolean anyDepth = below.contains("**");
    List<Path> files = new ArrayList<>();
    Path start = root.toRealPath(); // a walk need not enter a link
    Files.walkFileTree(
        start,
        anyDepth ? Set.of() : Set.of(FileVisitOption.FOLLOW_LINKS), // as in a shell
        anyDepth ? Integer.MAX_VALUE : below.split("/", -1).length,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            Path found = start.relativize(file);
            if (matcher.matches(found) && Files.isRegularFile(file)) {
              files.add(root.resolve(found));
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof FileSystemLoopException) { // its files are found elsewhere
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }
        });
    return files;
  }

  private static PathMatcher matcher(String glob, String argument) {
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + glob);
    } catch (PatternSyntaxException e) {
      throw CommandFailure.usage(
          "no such input, and no pattern: '%s': %s".formatted(argument, e.getDescription()));
    }
  }

  private static int globStart(String argument) {
    return IntStream.range(0, argument.length())
        .filter(i -> GLOB_CHARACTERS.indexOf(argument.charAt(i)) >= 0)
        .findFirst()
        .orElse(-1);
  }

  /** Returns the bytes as stored, or 0 if that is not known of each. */
  public long length() {
    long sum = 0;
    for (InputFile file : files) {
      if (file.length() == 0 && !file.canBeReadAgain()) {
        return 0;
      }
      sum += file.length();
    }
    return sum;
  }

  /** Returns the names of the files, for messages. */
  List<String> names() {
    return files.stream().map(InputFile::name).toList();
  }

  /** Returns whether each can be read a second time. */
  public boolean canBeReadAgain() {
    return files.stream().allMatch(InputFile::canBeReadAgain);
  }

  /** Reads them all. */
  public void read(
      RecordFormat format, AtomicLong stored, RecordFormat.Sink sink, BadLines badLines)
      throws IOException {
    for (InputFile file : files) {
      format.read(file, stored, sink, badLines);
    }
  }

  /**
   * Returns the first two places of a key, as {@code file:line}; fewer if the inputs have changed
   * since, none if they cannot be read again. A build keeps no line numbers.
   */
  public List<String> places(byte[] key, RecordFormat format, BadLines badLines)
      throws IOException {
    List<String> places = new ArrayList<>();
    if (!canBeReadAgain()) {
      return places;
    }
    try {
      for (InputFile file : files) {
        RecordFormat.Sink sink =
            (bytes, offset, length, value, valueOffset, valueLength, line) -> {
              if (Arrays.equals(bytes, offset, offset + length, key, 0, key.length)) {
                places.add(file.name() + ":" + line);
                if (places.size() == 2) {
                  throw new StopReading();
                }
              }
            };
        format.read(file, new AtomicLong(), sink, badLines);
      }
    } catch (StopReading e) {
      // both are found
    }
    return places;
  }

  /** Thrown by a sink that has seen enough, to end the reading. */
  static final class StopReading extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StopReading() {
      super(null, null, false, false);
    }
  }
}
