package io.bsdb.live.log;

import io.bsdb.live.LogPosition;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files in which the followers of a log record how far they have read. */
public record Followers(Path log) {
  private static final String SUFFIX = ".follower";
  private static final int MAX_LENGTH = 100;

  private Path file(String name) {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9_-]{0,99}")) {
      throw new IllegalArgumentException(
          "name of a follower: expected=letters, digits, - and _ actual='" + name + "'");
    }
    return log.resolve(name + SUFFIX);
  }

  /** Records how far a follower has read, in one step. */
  public void write(String name, LogPosition position) throws IOException {
    Path file = file(name);
    Path next = file.resolveSibling(name + SUFFIX + ".next");
    Files.writeString(next, position + "\n");
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Returns how far a follower has read, as recorded; null if there is no such follower yet. */
  public @Nullable LogPosition read(String name) throws IOException {
    return read(file(name));
  }

  /** Stops keeping log files for a follower. */
  public void remove(String name) throws IOException {
    Files.deleteIfExists(file(name));
  }

  /**
   * Returns the first segment that a follower has still to read. A follower whose file cannot be
   * read keeps all of them.
   */
  long firstNeeded() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(log)) {
      files = all.filter(file -> file.toString().endsWith(SUFFIX)).toList();
    }
    long first = Long.MAX_VALUE;
    for (Path file : files) {
      LogPosition position;
      try {
        position = read(file);
      } catch (IOException e) { // such as another user's
        position = LogPosition.START;
      }
      first = position == null ? first : Math.min(first, position.segment());
    }
    return first;
  }

  private static @Nullable LogPosition read(Path file) throws IOException {
    try {
      return Files.size(file) > MAX_LENGTH
          ? LogPosition.START
          : LogPosition.parse(Files.readString(file, StandardCharsets.US_ASCII).strip());
    } catch (IllegalArgumentException | CharacterCodingException e) {
      return LogPosition.START;
    } catch (NoSuchFileException absent) {
      return null;
    }
  }
}
