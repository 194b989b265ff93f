package io.bsdb.kstreams.store;

import io.bsdb.compact.Compactor;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import io.bsdb.live.WriteBatch;
import io.bsdb.reader.RecordCursor;
import io.bsdb.table.Table;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a topic into a base, to its last stable offset.
 *
 * <p>As long as no record that the base lacks can be gone, what is new becomes a delta of the base.
 * Else all of the topic is read, into a temporary table next to the base first, because deletes and
 * what they delete come in any order. If that is interrupted, the next read continues with the
 * temporary table, by the same rule. Either way records and positions come into service together.
 */
final class TopicReader {
  /** So that applications which have found a version still find its files. */
  private static final Duration KEEP_VERSIONS = Duration.ofMinutes(10);

  private static final int BATCH_BYTES = 1 << 20;

  private final Admin admin;
  private final CommittedRecords records;
  private final String topic;
  private final Path base;
  private final Table table;
  private final @Nullable Duration deletesKept;
  private TopicState state;

  private TopicReader(Admin admin, CommittedRecords records, String topic, Path base)
      throws ExecutionException, TimeoutException, InterruptedException {
    this.admin = admin;
    this.records = records;
    this.topic = topic;
    this.base = base;
    this.table = Table.at(base);
    this.state = TopicState.of(admin, topic); // first: its refusals of an unknown topic have words
    this.deletesKept = TopicState.deletesKept(admin, topic);
  }

  static TopicRead read(Map<String, ?> settings, String topic, Path base)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (Admin admin = Admin.create(new HashMap<>(settings));
        var consumer = new KafkaConsumer<>(CommittedRecords.settings(settings), bytes, bytes)) {
      return new TopicReader(admin, new CommittedRecords(consumer), topic, base).read();
    }
  }

  private TopicRead read()
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    String version = table.currentVersion();
    TopicPositions from = version == null ? null : positions(version);
    String misfit = from == null ? "there is no base yet" : misfit(from);
    if (from != null && misfit == null) {
      try (DeltaWriter writer = DeltaWriter.create(table)) {
        long before = records.count();
        misfit = readChanges(from, writer);
        if (misfit == null) {
          String published = writer.publish().version();
          DirectoryTree.delete(
              temporary()); // of a read of all that was killed after it had published
          return new TopicRead(tidied(published), records.count() - before, null);
        }
      }
    }
    return new TopicRead(tidied(readAll()), records.count(), misfit);
  }

  /** Returns how far a version has the topic. */
  private TopicPositions positions(String version) throws IOException {
    TopicPositions positions;
    try {
      positions = TopicPositions.of(table.manifest(version).sourcePositions());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(notABase(version, String.valueOf(e.getMessage())), e);
    }
    if (!positions.topic().equals(topic) || !positions.clusterId().equals(state.clusterId())) {
      throw new IllegalArgumentException(
          notABase(
              version,
              "it has the topic '%s' of cluster '%s'; the cluster is '%s'"
                  .formatted(positions.topic(), positions.clusterId(), state.clusterId())));
    }
    return positions;
  }

  private String notABase(String version, String why) {
    return "the table is not a base of this topic: table=%s version=%s topic=%s: %s; give the base a directory of its own"
        .formatted(base, version, topic, why);
  }

  private @Nullable String misfit(TopicPositions positions) {
    String misfit = state.misfit(positions);
    return misfit == null ? positions.forgotten(deletesKept) : misfit;
  }

  /**
   * Reads what the base lacks.
   *
   * @return why a record or a delete may have been missed; null if none was
   */
  private @Nullable String readChanges(TopicPositions from, DeltaWriter writer)
      throws IOException, TimeoutException {
    try {
      records.read(
          topic,
          state.missing(from),
          state.stableEnds(),
          new CommittedRecords.Target() {
            @Override
            public void put(byte[] key, byte[] value) throws IOException {
              writer.put(key, value);
            }

            @Override
            public void delete(byte[] key) throws IOException {
              writer.delete(key);
            }
          });
    } catch (OffsetOutOfRangeException e) {
      return "records were deleted before they were read: " + e.getMessage();
    }
    Map<String, String> before = from.sourcePositions();
    state
        .after(from)
        .sourcePositions()
        .forEach(
            (source, position) -> {
              writer.requirePosition(source, before.get(source));
              writer.position(source, position);
            });
    return from.forgotten(deletesKept);
  }

  /** Returns the directory of the temporary table. */
  private Path temporary() {
    return base.resolveSibling(base.getFileName() + "~reading");
  }

  /** Reads all of the topic, and builds the base of what is left at its end. */
  private String readAll()
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    Path temporary = temporary();
    WritableOptions options = WritableOptions.defaults().withDurability(Durability.OS);
    try (WritableTable all = WritableTable.open(temporary, options)) {
      if (!all.sourcePositions().isEmpty()) {
        TopicPositions interrupted = TopicPositions.of(all.sourcePositions());
        if (misfit(interrupted) == null) {
          return buildFrom(all, interrupted, temporary);
        }
      }
    }
    DirectoryTree.delete(temporary);
    state = TopicState.of(admin, topic);
    try (WritableTable all = WritableTable.open(temporary, options)) {
      return buildFrom(all, state.startPositions(), temporary);
    }
  }

  private String buildFrom(WritableTable all, TopicPositions from, Path temporary)
      throws IOException, TimeoutException {
    Batches batches = new Batches(all, from);
    try {
      records.read(topic, state.missing(from), state.stableEnds(), batches);
    } catch (OffsetOutOfRangeException e) {
      throw new IOException(
          "records were deleted before they were read: topic=%s: %s; run this again, and keep records for longer than it takes (retention.ms)"
              .formatted(topic, e.getMessage()),
          e);
    }
    batches.flush();
    String forgotten = from.forgotten(deletesKept);
    if (forgotten != null) {
      throw new IOException(
          "the topic cannot be read before it forgets deletes: topic=%s: %s; raise the topic's delete.retention.ms beyond the time that this takes"
              .formatted(topic, forgotten));
    }
    String version;
    WriterOptions options =
        WriterOptions.builder()
            .sourcePositions(state.after(from).sourcePositions())
            .minRows(0) // the topic was read to its end, and may have no keys
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(base, options)) {
      try (RecordCursor cursor = all.cursor()) {
        while (cursor.next()) {
          writer.add(cursor.key(), cursor.value());
        }
      }
      version = writer.publish().version();
    }
    all.close();
    DirectoryTree.delete(temporary);
    return version;
  }

  /** Writes records in batches, with the positions after them. */
  private static final class Batches implements CommittedRecords.Target {
    private final WritableTable table;
    private final TopicPositions from;
    private final WriteBatch batch = new WriteBatch();
    private long bytes;

    Batches(WritableTable table, TopicPositions from) {
      this.table = table;
      this.from = from;
      from.sourcePositions().forEach(batch::position);
    }

    @Override
    public void put(byte[] key, byte[] value) throws IOException {
      batch.put(key, value);
      added(key.length + value.length);
    }

    @Override
    public void delete(byte[] key) throws IOException {
      batch.delete(key);
      added(key.length);
    }

    private void added(int length) throws IOException {
      bytes += length;
      if (bytes >= BATCH_BYTES) {
        flush();
      }
    }

    @Override
    public void position(int partition, long offset) {
      batch.position(from.name(partition), Long.toString(offset));
    }

    void flush() throws IOException {
      table.write(batch);
      batch.clear();
      bytes = 0;
    }
  }

  private String tidied(String published) throws IOException {
    Compactor.Result result = new Compactor(base).run();
    table.prune(2, KEEP_VERSIONS);
    boolean changed = result.foldedPartitions() > 0 || result.mergedSegments() > 0;
    return changed ? result.manifest().version() : published;
  }
}
