package io.bsdb.writer;

import io.bsdb.format.Internal;
import io.bsdb.format.io.IOFunction;
import io.bsdb.format.io.IORunnable;
import io.bsdb.row.RowLayout;
import io.bsdb.row.Schema;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Changes single keys of a table: writes puts and deletes into segments, and publishes them as a
 * version that shares all else with the one in service. Cost: the bytes of the changes, and a
 * manifest. Used by one thread.
 *
 * <p>The changes apply in the order in which they were made; the last one of a key counts. Several
 * writers may work at once: each {@link #publish} applies to what is in service by then. Nothing is
 * visible before it, and all of it afterwards.
 */
public final class DeltaWriter implements Closeable {
  private final Table table;
  private final @Nullable Schema schema;
  private final boolean history;
  private final SegmentFiles files;
  private final Map<String, String> positions = new LinkedHashMap<>();
  private final Map<String, @Nullable String> expectedPositions = new LinkedHashMap<>();
  private final List<SegmentFile> given = new ArrayList<>();
  private List<SegmentFile> segments = List.of();
  private @Nullable StreamRule stream;
  private @Nullable String expectedVersion;
  private @Nullable IOFunction<Manifest, List<SegmentFile>> finish;
  private State state = State.OPEN;

  private enum State {
    OPEN,
    FAILED,
    PUBLISHED,
    CLOSED
  }

  private DeltaWriter(Table table, Manifest manifest) {
    this.table = table;
    this.schema = manifest.schema();
    this.history = manifest.validity() != null;
    this.files = new SegmentFiles(table.storage());
  }

  /**
   * Begins a delta; writes nothing yet.
   *
   * @throws java.nio.file.NoSuchFileException if the table has no version
   * @throws IllegalArgumentException if the table stores no keys, so that a change could not be
   *     distinguished from another key's
   */
  public static DeltaWriter create(Table table) throws IOException {
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    requireKeys(manifest, table);
    return new DeltaWriter(table, manifest);
  }

  /**
   * Checks that a table can be changed.
   *
   * @throws IllegalArgumentException if it stores no keys
   */
  public static void requireKeys(Manifest manifest, Table table) {
    if (manifest.hasKeysOmitted()) {
      throw new IllegalArgumentException(
          "an approximate table cannot be changed, as it does not store keys: table=%s version=%s; build it with keys"
              .formatted(table.storage(), manifest.version()));
    }
  }

  /** Returns the schema that keys and values are of; null if they are plain bytes. */
  public @Nullable Schema schema() {
    return schema;
  }

  /** Returns whether the table has a history, so that rows may be ended ones. */
  public boolean hasHistory() {
    return history;
  }

  /**
   * Sets the value of a key; both are copied.
   *
   * @throws IllegalArgumentException if one is too short or too long, or if the value is an ended
   *     row and the table has no history
   */
  public void put(byte[] key, byte[] value) throws IOException {
    requireOpen();
    if (schema != null && !history) {
      RowLayout.requireLive(value, 0, value.length);
    }
    add(() -> files.put(key, value));
  }

  /** Deletes a key, whether or not there is one. */
  public void delete(byte[] key) throws IOException {
    requireOpen();
    add(() -> files.delete(key));
  }

  private void add(IORunnable change) throws IOException {
    try {
      change.run();
    } catch (IOException e) {
      state = State.FAILED; // part of it may have been written
      throw e;
    }
  }

  /**
   * Adds the changes of a segment that lies among the table's files already, durable; they apply
   * before those that are written here. It is deleted if it is not published.
   *
   * @hidden
   */
  @Internal
  public void segment(SegmentFile segment) {
    requireOpen();
    given.add(segment);
  }

  /**
   * Sets what completes the changes under the lock, when it is known over which version they are
   * published.
   *
   * @param value returns further segments, durable, to be applied after the others; throws {@link
   *     PublishConflictException} if the changes must not be published over that version
   * @hidden
   */
  @Internal
  public void finish(IOFunction<Manifest, List<SegmentFile>> value) {
    requireOpen();
    finish = value;
  }

  /** Notes how far a source has been read with these changes; becomes part of the manifest. */
  public void position(String source, String position) {
    requireOpen();
    positions.put(source, position);
  }

  /**
   * Requires that no other writer has changed the position of a source when this is published: that
   * the changes follow those that the table has.
   *
   * @param expected position of the source in the version that they follow; null if it has none
   */
  public void requirePosition(String source, @Nullable String expected) {
    requireOpen();
    expectedPositions.put(source, expected);
  }

  /**
   * Requires that a version is still in service when this is published: that nobody has changed the
   * table.
   */
  public void requireVersion(String version) {
    requireOpen();
    expectedVersion = version;
  }

  /**
   * Checks that a version with which a source was compared is in service.
   *
   * @throws PublishConflictException if it is not
   * @hidden
   */
  @Internal
  public static void requireVersion(String expected, Manifest inService, Table table)
      throws PublishConflictException {
    if (!expected.equals(inService.version())) {
      throw new PublishConflictException(
          "the table was changed meanwhile: table=%s expected version=%s actual=%s; nothing was changed, read the source again and compare it with that version"
              .formatted(table.storage(), expected, inService.version()));
    }
  }

  /**
   * Publishes the changes as the next ones of a stream: once, and only after those that they
   * follow.
   *
   * @hidden
   */
  @Internal
  public void stream(StreamRule rule) {
    requireOpen();
    stream = rule;
  }

  private void requireOpen() {
    switch (state) {
      case OPEN -> {}
      case FAILED ->
          throw new IllegalStateException(
              "the writer has failed, and changes may be lost: close it and begin again");
      case PUBLISHED -> throw new IllegalStateException("the changes have been published");
      case CLOSED -> throw new IllegalStateException("the writer is closed");
    }
  }

  /**
   * Puts the changes in service, durably. Without changes and positions nothing is published.
   *
   * @return the manifest of the version in service
   * @throws IllegalArgumentException if the table has meanwhile become one that stores no keys
   * @throws PublishConflictException if its schema, a required position or a required version has
   *     changed meanwhile, or if only a stream's job may change the table
   * @throws IOException also if the version would have more segments than readers open
   */
  public Manifest publish() throws IOException {
    requireOpen();
    state = State.FAILED;
    segments = Stream.concat(given.stream(), files.finish().stream()).toList();
    Manifest manifest;
    if (segments.isEmpty() && positions.isEmpty() && stream == null && finish == null) {
      manifest = table.manifest(table.requireCurrentVersion());
      requireExpected(manifest);
    } else {
      manifest = table.edit(this::append);
      if (!manifest.filesToKeep().containsAll(segments.stream().map(SegmentFile::path).toList())) {
        SegmentFiles.deleteUnpublished(
            table, segments); // the stream's publication had been applied before
      }
    }
    state = State.PUBLISHED;
    return manifest;
  }

  private Manifest append(Manifest inService) throws IOException {
    if (stream != null && stream.isApplied(inService)) {
      return inService;
    }
    requireKeys(inService, table);
    if (history != (inService.validity() != null)) {
      throw new PublishConflictException(
          "the table was built %s a history meanwhile: table=%s version=%s; nothing was changed, encode the changes again"
              .formatted(history ? "without" : "with", table.storage(), inService.version()));
    }
    if (!Objects.equals(schema, inService.schema())) {
      throw new PublishConflictException(
          "the table was built with another schema meanwhile: table=%s version=%s expected=%s actual=%s; nothing was changed, encode the changes again"
              .formatted(table.storage(), inService.version(), schema, inService.schema()));
    }
    requireExpected(inService);
    if (finish != null) {
      segments = Stream.concat(segments.stream(), finish.apply(inService).stream()).toList();
    }
    Map<String, String> newPositions = new LinkedHashMap<>(inService.sourcePositions());
    newPositions.putAll(positions);
    Changes changes;
    if (stream == null) {
      table.requireSolePublisher(inService);
      changes = inService.changes();
    } else {
      changes = stream.follow(table, inService);
    }
    return inService.with(inService.partitions(), newPositions, changes.append(segments));
  }

  private void requireExpected(Manifest inService) throws PublishConflictException {
    if (expectedVersion != null) {
      requireVersion(expectedVersion, inService, table);
    }
    for (Map.Entry<String, @Nullable String> expected : expectedPositions.entrySet()) {
      String actual = inService.sourcePositions().get(expected.getKey());
      if (!Objects.equals(actual, expected.getValue())) {
        throw new PublishConflictException(
            "the position of a source was changed meanwhile, by another job or a rollback: table=%s version=%s source=%s expected=%s actual=%s; nothing was changed, read the source again from the actual position"
                .formatted(
                    table.storage(),
                    inService.version(),
                    expected.getKey(),
                    expected.getValue(),
                    actual));
      }
    }
  }

  /** Deletes what was not published. */
  @Override
  public void close() throws IOException {
    State before = state;
    state = State.CLOSED;
    files.close();
    if (before == State.OPEN) {
      segments = given;
    }
    if (before == State.OPEN || before == State.FAILED) {
      SegmentFiles.deleteUnpublished(table, segments);
    }
  }
}
