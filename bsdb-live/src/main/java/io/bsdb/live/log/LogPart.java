package io.bsdb.live.log;

import io.bsdb.format.io.Closing;
import io.bsdb.format.io.IOConsumer;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.live.Durability;
import io.bsdb.live.log.LogStorage.LogFile;
import io.bsdb.reader.io.FileFailure;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.table.manifest.SegmentFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** One segment of an open log: a file, mapped to be read, and open to be written if it is new. */
public final class LogPart implements Closeable {
  public static final String SUFFIX = ".log";
  private static final String UNFINISHED_SUFFIX = ".new";
  private static final int ZEROS = 1 << 18;

  private final String name;
  private final FileMemory memory;
  private final LogSegment segment;
  private @Nullable LogFile file;
  private @Nullable IOException failure;

  // What the frames hold: for the manifest, once this is a segment of the table.
  private long puts;
  private long deletes;
  private long positions;
  private long firstHash = -1;
  private long lastHash;
  private volatile int end;
  private long frames;

  private LogPart(String name, FileMemory memory, LogSegment segment) {
    this.name = name;
    this.memory = memory;
    this.segment = segment;
  }

  static boolean isUnfinished(String name) {
    return name.endsWith(UNFINISHED_SUFFIX);
  }

  private static String name(long number, String suffix) {
    return String.format(Locale.ROOT, "%010d%s", number, suffix);
  }

  /** Returns the name of a segment. */
  static String name(long number) {
    return name(number, SUFFIX);
  }

  /** Maps a segment and reads its header. */
  static LogPart open(LogStorage storage, String name) throws IOException {
    FileMemory memory = map(storage, name);
    try {
      long number = number(storage, name);
      return new LogPart(
          name, memory, LogSegment.open(memory.chunk(0), number, storage.path(name)));
    } catch (IOException | RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  /** Maps a segment, again if it is sealed meanwhile: then it is cut, once. */
  private static FileMemory map(LogStorage storage, String name) throws IOException {
    while (true) {
      long length = storage.length(name);
      try {
        return storage.map(name);
      } catch (IOException e) {
        if (storage.length(name) == length) {
          throw e;
        }
      }
    }
  }

  /** Returns whether a file holds zeros after its header, or not even that. */
  static boolean isUnwritten(LogStorage storage, String name) throws IOException {
    try (FileMemory memory = storage.map(name)) {
      ByteBuffer bytes = memory.chunk(0);
      for (int i = LogSegment.FIRST_FRAME; i < bytes.limit(); i++) {
        if (bytes.get(i) != 0) {
          return false;
        }
      }
      return true;
    }
  }

  static long number(LogStorage storage, String name) throws IOException {
    if (!name.matches("[0-9]{10}\\.log")) {
      throw new IOException(
          "not a file of a log: file=%s expected=a number of ten digits and .log; move it away"
              .formatted(storage.path(name)));
    }
    return Long.parseLong(name.substring(0, 10));
  }

  /**
   * Creates a segment of a header and zeros, durable before it gets its name. With {@link
   * Durability#COMMIT} the zeros are written, so that later writes change no metadata; else space
   * is allocated, so that a full disk is noticed here.
   */
  static LogPart create(LogStorage storage, long number, int length, Durability durability)
      throws IOException {
    write(
        storage,
        number,
        file -> {
          if (durability == Durability.COMMIT || !file.allocate(length)) {
            writeZeros(file, length);
          }
          file.write(LogSegment.header(UUID.randomUUID(), number), 0);
        });
    return open(storage, name(number));
  }

  /** Replaces a file by a copy, durably and in one step. */
  static void copy(LogStorage storage, String name) throws IOException {
    try (FileMemory memory = map(storage, name)) {
      write(storage, number(storage, name), file -> file.write(memory.chunk(0).duplicate(), 0));
    }
  }

  /** Writes a file of the log, durable before it gets its name. */
  private static void write(LogStorage storage, long number, IOConsumer<LogFile> content)
      throws IOException {
    String unfinished = name(number, UNFINISHED_SUFFIX);
    try (LogFile file = storage.open(unfinished, true)) {
      content.accept(file);
      file.force();
    } catch (IOException | RuntimeException | Error e) {
      // On a full disk, publications and folds need its space.
      Closing.after(e, () -> storage.delete(unfinished));
      throw e;
    }
    storage.rename(unfinished, name(number));
    storage.syncDirectory();
  }

  private static void writeZeros(LogFile file, int length) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(ZEROS, length));
    for (long at = 0; at < length; at += zeros.capacity()) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), length - at));
      file.write(zeros, at);
    }
  }

  /** Opens the file to be written. */
  LogPart writable(LogStorage storage) throws IOException {
    if (file == null) {
      file = storage.open(name, false);
    }
    return this;
  }

  /** Writes the frame by which this segment continues a log. */
  void begin(Place before) throws IOException {
    write(LogSegment.firstFrame(segment.fileId(), before), LogSegment.FIRST_FRAME);
  }

  void write(ByteBuffer bytes, int offset) throws IOException {
    file().write(bytes, offset);
  }

  /**
   * Makes all writes durable. After a failure all further calls fail, since the system reports a
   * failure only once, to one of the threads.
   */
  synchronized void force() throws IOException {
    IOException before = failure;
    if (before != null) {
      throw new IOException(before.getMessage(), before);
    }
    try {
      file().force();
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  /** Makes all writes durable, unless the file has been finished, which means that they are. */
  synchronized void forceIfOpen() throws IOException {
    if (file != null) {
      force();
    }
  }

  private LogFile file() {
    LogFile open = file;
    if (open == null) {
      throw new IllegalStateException("not open for writing: " + name);
    }
    return open;
  }

  /** Writes the same bytes again: for those that the system may have lost track of. */
  void writeAgain(int from, int to) throws IOException {
    ByteBuffer same = ByteBuffer.allocate(to - from);
    memory.chunk(0).get(from, same.array());
    write(same, from);
    force();
  }

  public String name() {
    return name;
  }

  public LogSegment segment() {
    return segment;
  }

  public int length() {
    return memory.chunk(0).capacity();
  }

  Place place(int end) {
    return new Place(segment.number(), segment.fileId(), end);
  }

  /**
   * Counts a record.
   *
   * @param high high word of the hash of its key
   */
  void count(ChangeKind kind, long high) {
    switch (kind) {
      case PUT -> puts++;
      case DELETE -> deletes++;
      case POSITION -> positions++;
    }
    if (kind != ChangeKind.POSITION) {
      firstHash = Long.compareUnsigned(high, firstHash) < 0 ? high : firstHash;
      lastHash = Long.compareUnsigned(high, lastHash) > 0 ? high : lastHash;
    }
  }

  /**
   * Sets where the log ends in this segment, because it is continued in another one.
   *
   * @param offset end of the last frame
   * @param count number of frames
   */
  void end(int offset, long count) throws IOException {
    end = offset;
    frames = count;
    finish();
  }

  /** Returns where the log ends in this segment, once it is continued in another one; 0 before. */
  public int end() {
    return end;
  }

  /** Returns the number of puts and deletes. */
  public long changes() {
    return puts + deletes;
  }

  /** Returns whether there is something to publish. */
  boolean hasRecords() {
    return puts + deletes + positions > 0;
  }

  /**
   * Makes this a sealed segment: writes the end frame, over a torn end if there is one, and cuts
   * the file after it. Only once the next segment continues the log durably. May be repeated.
   *
   * @return its entry in the manifest, without a number
   */
  public SegmentFile seal(LogStorage storage) throws IOException {
    ByteBuffer seal = LogSegment.seal(segment.fileId(), end, frames, puts, deletes, positions);
    CRC32C checksum = new CRC32C();
    checksum.update(memory.chunk(0).slice(0, end));
    checksum.update(seal.duplicate());
    int length = end + LogSegment.SEAL_LENGTH;
    try (LogFile sealed = storage.open(name, false)) {
      sealed.write(seal, end);
      sealed.force(); // before the cut: a torn end must not be what is left
      sealed.truncate(length);
      sealed.force();
    } catch (IOException e) {
      throw FileFailure.of("file of the log cannot be sealed", "file=" + storage.path(name), e);
    }
    return new SegmentFile(
        0, segment.fileId(), length, (int) checksum.getValue(), firstHash, lastHash, puts, deletes);
  }

  /** Closes the file for writing; it can still be read. */
  synchronized void finish() throws IOException {
    LogFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() throws IOException {
    try {
      finish();
    } finally {
      memory.close();
    }
  }
}
