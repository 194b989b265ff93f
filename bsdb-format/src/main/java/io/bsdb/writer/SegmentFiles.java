package io.bsdb.writer;

import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.writer.file.HugePageOutput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes into segments of a table, another one whenever one is long. Publishes nothing.
 * Used by one thread.
 *
 * @hidden
 */
@Internal
public final class SegmentFiles implements Closeable {
  private static final byte[] NOTHING = new byte[0];

  private final TableStorage storage;
  private final List<SegmentFile> sealed = new ArrayList<>();
  private @Nullable Output output;
  private boolean kept;

  /** A segment being written. */
  private static final class Output {
    final HugePageOutput file;
    final UUID id = UUID.randomUUID();
    final SegmentWriter writer;
    long firstHash = -1;
    long lastHash;

    Output(TableStorage storage) throws IOException {
      file = new HugePageOutput(storage.create(SegmentFile.path(id)));
      writer = new SegmentWriter(file, id);
    }

    void cover(long high) {
      if (Long.compareUnsigned(high, firstHash) < 0) {
        firstHash = high;
      }
      if (Long.compareUnsigned(high, lastHash) > 0) {
        lastHash = high;
      }
    }
  }

  /** Writes nothing yet. */
  public SegmentFiles(TableStorage storage) {
    this.storage = storage;
  }

  /**
   * Sets the value of a key; both are copied.
   *
   * @throws IllegalArgumentException if one is too short or too long
   */
  public void put(byte[] key, byte[] value) throws IOException {
    SegmentWriter.requireValueLength(value.length);
    add(ChangeKind.PUT, key, value);
  }

  /** Deletes a key. */
  public void delete(byte[] key) throws IOException {
    add(ChangeKind.DELETE, key, NOTHING);
  }

  private void add(ChangeKind kind, byte[] key, byte[] value) throws IOException {
    SegmentWriter.requireKeyLength(key.length);
    Output target = output;
    if (target == null) {
      target = new Output(storage);
      output = target;
    }
    target.writer.add(kind, key, value);
    target.cover(KeyHash.hash(key).getMostSignificantBits());
    if (target.writer.length() >= SegmentWriter.TARGET_LENGTH) {
      seal();
    }
  }

  private void seal() throws IOException {
    Output target = output;
    if (target == null) {
      return;
    }
    target.writer.seal();
    target.file.commit();
    target.file.close();
    output = null;
    sealed.add(
        new SegmentFile(
            0,
            target.id,
            target.writer.length(),
            target.file.checksum(),
            target.firstHash,
            target.lastHash,
            target.writer.puts(),
            target.writer.deletes()));
  }

  /** Returns the bytes so far. */
  public long length() {
    long length = output == null ? 0 : output.writer.length();
    for (SegmentFile segment : sealed) {
      length += segment.length();
    }
    return length;
  }

  /**
   * Makes all segments complete and durable. From now on they are the caller's.
   *
   * @return what their entries in the manifest will be, but for their numbers
   */
  public List<SegmentFile> finish() throws IOException {
    seal();
    if (!sealed.isEmpty()) {
      storage.syncDirectory(SnapshotFormat.DATA_DIRECTORY);
    }
    kept = true;
    return List.copyOf(sealed);
  }

  /**
   * Deletes segments whose publication failed, unless it has come into service all the same.
   *
   * @param segments from {@link #finish}
   */
  public static void deleteUnpublished(Table table, List<SegmentFile> segments) throws IOException {
    Set<String> named = new HashSet<>();
    for (String version : segments.isEmpty() ? List.<String>of() : table.versions()) {
      try {
        named.addAll(table.manifest(version).filesToKeep());
      } catch (NoSuchFileException pruned) {
        // Without a lock, others delete versions meanwhile.
      }
    }
    for (SegmentFile segment : segments) {
      if (!named.contains(segment.path())) {
        table.storage().delete(segment.path());
      }
    }
  }

  /** Deletes what was not finished. */
  @Override
  public void close() throws IOException {
    Output target = output;
    output = null;
    if (target != null) {
      target.file.close();
      storage.delete(SegmentFile.path(target.id));
    }
    if (!kept) {
      kept = true;
      for (SegmentFile segment : sealed) {
        storage.delete(segment.path());
      }
    }
  }
}
