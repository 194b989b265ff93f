package io.bsdb.writer;

import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.row.RowLayout;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.regex.Pattern;

/**
 * One process' share of a build: takes records of any of the snapshot's partitions and writes their
 * files. Publishes nothing; see {@link SnapshotPublisher}. All records of a partition must come to
 * one writer. Used by one thread; {@link #finish} builds partitions in parallel, as far as the
 * memory allows.
 *
 * @hidden
 */
@Internal
public final class BuildWorker implements Closeable {
  /** Stands for: chosen by {@link #finish} from the amount of data. */
  static final int AUTOMATIC = 0;

  private static final Pattern SUFFIX = Pattern.compile("[A-Za-z0-9-]{0,100}");

  private final Path temporaryDirectory;
  private final boolean hasEnds;
  private final RecordIntake intake;
  private final ParallelBuild builds;
  private BuildListener listener = BuildListener.NONE;
  private int partitionCount;
  private long recordCount;
  private State state = State.OPEN;

  private enum State {
    OPEN,
    FAILED,
    FINISHED,
    CLOSED
  }

  private BuildWorker(
      Table table,
      Build build,
      int partitionCount,
      String suffix,
      Path temporaryDirectory,
      WriterOptions options) {
    this.partitionCount = partitionCount;
    this.temporaryDirectory = temporaryDirectory;
    this.builds = new ParallelBuild(table, build, suffix, temporaryDirectory, options);
    this.hasEnds = options.schema() == null || options.validity() != null;
    if (options.validity() != null) {
      Validity.requireSchema(options.schema());
    }
    this.intake =
        options.order() == RecordOrder.KEY
            ? new SortedIntake(temporaryDirectory, options.partitions(), options)
            : new HashIntake(temporaryDirectory, partitionCount, options);
  }

  /**
   * Returns a writer for some partitions of a build.
   *
   * @param partitionCount how many partitions the whole snapshot has; in key order a writer that is
   *     given none makes as many of its records as their amount takes, or as the options say
   * @param suffix makes the names of this attempt's files different from those of others; letters,
   *     digits, '-'
   * @param temporaryDirectory for spill files, of this writer alone; created when needed
   */
  public static BuildWorker create(
      Table table,
      Build build,
      int partitionCount,
      String suffix,
      Path temporaryDirectory,
      WriterOptions options) {
    var unused = new Partitioning(partitionCount); // checks the range
    if (!SUFFIX.matcher(suffix).matches()) {
      throw new IllegalArgumentException(
          "suffix of file names: expected up to 100 letters, digits and '-', actual '%s'"
              .formatted(suffix));
    }
    return new BuildWorker(table, build, partitionCount, suffix, temporaryDirectory, options);
  }

  /** Returns a writer of all partitions; it chooses their number unless the options give it. */
  static BuildWorker createAutomatic(
      Table table, Build build, Path temporaryDirectory, WriterOptions options) {
    return new BuildWorker(table, build, options.partitions(), "", temporaryDirectory, options);
  }

  /** Sets the progress listener. */
  public void listener(BuildListener value) {
    listener = value;
  }

  public void add(byte[] key, byte[] value) throws IOException {
    add(key, 0, key.length, value, 0, value.length);
  }

  /**
   * Adds a record; copies what it needs. After an {@link IOException} the writer can only be
   * closed.
   *
   * @throws IllegalArgumentException if the key or the value is too short or too long, or an ended
   *     row of a table without a history
   */
  public void add(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    requireOpen();
    if (keyLength < 1 || keyLength > SnapshotFormat.MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "key length out of range: record=%d expected 1 to %d, actual %d"
              .formatted(recordCount, SnapshotFormat.MAX_KEY_LENGTH, keyLength));
    }
    if (valueLength < 0 || valueLength > SnapshotFormat.MAX_VALUE_LENGTH) {
      throw new IllegalArgumentException(
          "value length out of range: record=%d expected 0 to %d, actual %d"
              .formatted(recordCount, SnapshotFormat.MAX_VALUE_LENGTH, valueLength));
    }
    if (!hasEnds) {
      RowLayout.requireLive(value, valueOffset, valueLength);
    }
    try {
      intake.add(key, keyOffset, keyLength, value, valueOffset, valueLength);
    } catch (IOException e) {
      state = State.FAILED; // part of a buffer may have been written
      throw e;
    }
    recordCount++;
  }

  private void requireOpen() {
    switch (state) {
      case OPEN -> {}
      case FAILED ->
          throw new IllegalStateException(
              "the writer has failed, and records may be lost: close it and build again");
      case FINISHED -> throw new IllegalStateException("the writer is finished");
      case CLOSED -> throw new IllegalStateException("the writer is closed");
    }
  }

  /** Records added so far. */
  public long recordCount() {
    return recordCount;
  }

  /** Returns how many partitions the snapshot has; if automatic, known after {@link #finish}. */
  public int partitionCount() {
    return partitionCount;
  }

  /**
   * Builds the files of all partitions that got records; each is durable. After an exception the
   * writer can only be closed.
   *
   * @return their entries for the manifest, in order
   */
  public List<PartitionFile> finish() throws IOException {
    requireOpen();
    state = State.FAILED;
    return build(intake.divide());
  }

  /**
   * Does the same for partitions that are given instead of chosen, in key order only.
   *
   * @param firstKeys by partition, ascending, not empty; a partition has the keys from there on, up
   *     to the next one's, and the first one also those in front
   */
  public List<PartitionFile> finish(SortedMap<Integer, byte[]> firstKeys) throws IOException {
    requireOpen();
    if (!(intake instanceof SortedIntake sorted)) {
      throw new IllegalStateException("partitions are ranges of hashes, not of keys");
    }
    state = State.FAILED;
    return build(sorted.divideAt(firstKeys));
  }

  private List<PartitionFile> build(RecordIntake.Division division) throws IOException {
    partitionCount = division.partitionCount();
    List<PartitionFile> files =
        builds.run(division.tasks(), new BuildProgress(listener, partitionCount));
    state = State.FINISHED;
    return files;
  }

  /**
   * Deletes spill files and, without a {@link #finish} before it, the partition files of this
   * writer.
   */
  @Override
  public void close() throws IOException {
    if (state == State.CLOSED) {
      return;
    }
    boolean finished = state == State.FINISHED;
    state = State.CLOSED;
    try {
      intake.close();
      Files.deleteIfExists(temporaryDirectory);
    } finally {
      if (!finished) {
        builds.deleteCreated();
      }
    }
  }
}
