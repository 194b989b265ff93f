package io.bsdb.live.log;

import io.bsdb.live.LogPosition;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files in which the followers of a log record how far they have read. */
public final class Followers {
  private static final Logger LOGGER = LoggerFactory.getLogger(Followers.class);
  private static final String SUFFIX = ".follower";
  private static final int MAX_LENGTH = 100;

  private final Path log;

  /** Files that could not be read when they were last looked at; by {@link #firstNeeded} alone. */
  private final Set<Path> unreadable = new HashSet<>();

  public Followers(Path log) {
    this.log = log;
  }

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
    Path file = file(name);
    try {
      return read(file);
    } catch (IllegalArgumentException | CharacterCodingException damaged) {
      return LogPosition.START;
    }
  }

  /** Stops keeping log files for a follower. */
  public void remove(String name) throws IOException {
    Files.deleteIfExists(file(name));
  }

  /**
   * Returns the first segment that a follower has still to read. A follower whose file cannot be
   * read keeps all of them, which is logged once. Called by one thread at a time.
   */
  long firstNeeded() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(log)) {
      files = all.filter(file -> file.toString().endsWith(SUFFIX)).toList();
    }
    unreadable.retainAll(files);
    long first = Long.MAX_VALUE;
    for (Path file : files) {
      first = Math.min(first, firstNeeded(file));
    }
    return first;
  }

  private long firstNeeded(Path file) {
    try {
      LogPosition position = read(file);
      unreadable.remove(file);
      return position == null ? Long.MAX_VALUE : position.segment();
    } catch (IOException | IllegalArgumentException e) { // such as another user's
      if (unreadable.add(file)) {
        LOGGER.warn(
            "the position of a follower of the log cannot be read, so the log is kept for it, up to 1 GiB: file={} ({}); let this process read the file, or delete it if the follower is no longer used",
            file,
            e.toString());
      }
      return LogPosition.START.segment();
    }
  }

  /** Returns the position in a file; null if there is no such file. */
  private static @Nullable LogPosition read(Path file) throws IOException {
    try {
      if (Files.size(file) > MAX_LENGTH) {
        throw new IllegalArgumentException("longer than a position");
      }
      return LogPosition.parse(Files.readString(file, StandardCharsets.US_ASCII).strip());
    } catch (NoSuchFileException absent) {
      return null;
    }
  }
}
