package io.bsdb.live.log;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.table.storage.PathStorage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The right to write a table: a lock on a file that records the version under the beginning of the
 * log. The system releases it when the process ends, however it ends.
 */
public final class Owner implements Closeable {
  private static final String FIRST_LINE = "bsdb log 1";
  private static final int MAX_LENGTH = 4096;
  private static final String NO_BASE = "none";
  private static final Pattern CONTENT =
      Pattern.compile(
          FIRST_LINE
              + "\n"
              + "base (none|[0-9]{10}-[0-9a-f]{8})\n"
              + "id ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n"
              + "checksum [0-9a-f]{8}\n");

  /** The stream as which a version names the log whose changes it has. */
  public static final String STREAM = "log";

  /**
   * With what distinguishes the owner's file, the name of the system property that has the log's id
   * if this process owns it. Closing any channel of such a file would release its lock, whichever
   * class loader's code does so, and on whichever path, as that of a hard link: therefore all that
   * opens one is guarded by this string, which is one object in a process.
   */
  private static final String OWNED = "bsdb.owned.";

  private final Path file;

  /** The same file, on the path by which the table was opened. */
  private final Path opened;

  private final FileChannel channel;
  private final @Nullable Object fileKey;
  private final String owned;
  private UUID id = UUID.randomUUID();
  private long published;

  private Owner(Path file, Path opened, FileChannel channel) throws IOException {
    this.file = file;
    this.opened = opened;
    this.channel = channel;
    this.fileKey = fileKey(opened);
    this.owned = owned(opened);
  }

  /** Returns what distinguishes a file from another one of the same name; null if nothing does. */
  private static @Nullable Object fileKey(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /** Returns the name of the property of an owner's file. */
  private static String owned(Path file) throws IOException {
    return OWNED + Objects.requireNonNullElseGet(fileKey(file), file.toRealPath()::toString);
  }

  /**
   * Locks a table, and makes it writable if it is not.
   *
   * @throws IOException also if another table object or process holds the lock, or if there are
   *     versions and none is in service
   */
  public static Owner acquire(Path directory) throws IOException {
    synchronized (OWNED) {
      return acquireAlone(directory);
    }
  }

  private static Owner acquireAlone(Path directory) throws IOException {
    Table.at(directory).currentVersion(); // a damaged table stays as it is
    Path log = directory.resolve(SnapshotFormat.LOG_DIRECTORY);
    PathStorage.createDirectories(log);
    Path file = log.toRealPath().resolve(SnapshotFormat.OWNER_FILE);
    if (Files.exists(file) && System.getProperty(owned(file)) != null) {
      throw inUse(file, "in this process");
    }
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() == null) {
        throw inUse(file, "in another process");
      }
      Owner owner = new Owner(file, log.resolve(SnapshotFormat.OWNER_FILE), channel);
      Table table = Table.at(directory);
      table.storage().exclusively(() -> owner.check(table, directory));
      System.setProperty(owner.owned, owner.id.toString());
      return owner;
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  private static IOException inUse(Path file, String where) {
    return new IOException(
        "table is open for writing %s: file=%s; close it there first".formatted(where, file));
  }

  private void check(Table table, Path directory) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_LENGTH);
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {}
    String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    if (isComplete(text)) {
      id = id(text);
      published = published(table, text, file);
    } else if (isNew()) {
      String version = table.currentVersion();
      create(version == null ? NO_BASE : version, directory);
    } else {
      throw doesNotBelong(table.currentVersion(), text, file);
    }
  }

  private static boolean isComplete(String text) {
    Matcher matcher = CONTENT.matcher(text);
    return matcher.matches() && content(matcher.group(1), matcher.group(2)).equals(text);
  }

  private static UUID id(String text) {
    return UUID.fromString(text.lines().toList().get(2).substring("id ".length()));
  }

  /**
   * A log and how much of it is in the version in service.
   *
   * @param log its own id
   * @param segment the last one whose changes are in the version; 0 if none is
   */
  public record Published(UUID log, long segment) {}

  /** Returns how much of a log is published, without becoming its owner. */
  public static Published published(Path directory) throws IOException {
    synchronized (OWNED) {
      return publishedAlone(directory);
    }
  }

  private static Published publishedAlone(Path directory) throws IOException {
    Path file = directory.resolve(SnapshotFormat.LOG_DIRECTORY).resolve(SnapshotFormat.OWNER_FILE);
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString(), null, "not a writable table; check the path");
    }
    PathStorage.requireRegular(file);
    String owned = System.getProperty(owned(file));
    if (owned != null) {
      UUID own = UUID.fromString(owned);
      Table table = Table.at(directory);
      String version = table.currentVersion();
      return new Published(own, version == null ? 0 : published(table.manifest(version), own));
    }
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    if (!isComplete(text)) {
      throw doesNotBelong(null, text, file);
    }
    return new Published(id(text), published(Table.at(directory), text, file));
  }

  private static long published(Table table, String text, Path file) throws IOException {
    String version = table.currentVersion();
    if (version == null) {
      if (!text.contains("\nbase " + NO_BASE + "\n")) {
        throw doesNotBelong(null, text, file);
      }
      return 0;
    }
    return published(table.manifest(version), id(text));
  }

  /**
   * Returns the number of the last segment of a log whose changes are in a version. Only the owner
   * publishes: a version that does not name the log has none of them.
   */
  public static long published(Manifest version, UUID log) {
    StreamProgress progress = version.changes().streams().get(STREAM);
    return progress != null && progress.last().incarnation().equals(log)
        ? progress.last().number()
        : 0;
  }

  private void create(String base, Path directory) throws IOException {
    ByteBuffer bytes =
        ByteBuffer.wrap(content(base, id.toString()).getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes, bytes.position());
    }
    channel.truncate(bytes.capacity());
    channel.force(true);
    LogDirectory.sync(directory.resolve(SnapshotFormat.LOG_DIRECTORY));
    LogDirectory.sync(directory);
  }

  private static CorruptSnapshotException doesNotBelong(
      @Nullable String version, String text, Path file) {
    return new CorruptSnapshotException(
        "the log does not belong to the version in service: file=%s version=%s actual='%s'; put the version that it names in service, or restore the table from a copy"
            .formatted(file, version, Excerpt.of(text.strip().replace('\n', ' '))));
  }

  /** Returns whether there is no log yet: a file that is not complete then was never in use. */
  private boolean isNew() throws IOException {
    for (String name : new LogDirectory(file.resolveSibling("")).list()) {
      if (name.endsWith(LogPart.SUFFIX)) {
        return false;
      }
    }
    return true;
  }

  private static String content(String base, String id) {
    String lines = FIRST_LINE + "\nbase " + base + "\nid " + id + "\n";
    return lines + "checksum " + LogEnd.checksum(lines) + "\n";
  }

  /**
   * Checks that the table is still where it was opened. In its place there may be one that another
   * process owns.
   */
  public void requireInPlace() throws IOException {
    Object found;
    try {
      found = fileKey(opened);
    } catch (NoSuchFileException | NotDirectoryException e) {
      throw moved(e);
    }
    if (!Objects.equals(found, fileKey)) {
      throw moved(null);
    }
  }

  private IOException moved(@Nullable IOException cause) {
    return new IOException(
        "the table was moved, deleted or replaced while it was open for writing: file=%s expected=the file that was locked then, actual=%s; close it, and open it where it is now"
            .formatted(opened, cause == null ? "another one" : "none"),
        cause);
  }

  /** Returns the log's own id. */
  public UUID id() {
    return id;
  }

  /** Returns the number of the last segment whose changes are in the version in service. */
  public long published() {
    return published;
  }

  @Override
  public void close() throws IOException {
    synchronized (OWNED) {
      try {
        channel.close();
      } finally {
        System.clearProperty(owned);
      }
    }
  }
}
