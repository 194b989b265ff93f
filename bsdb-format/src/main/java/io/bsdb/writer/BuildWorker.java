package io.bsdb.writer;

import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Build;
import io.bsdb.table.PartitionFile;
import io.bsdb.table.Partitioning;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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
  private static final int BUCKETS = 256;
  private static final int LARGEST_PARTITION = 512 << 20;

  private final Table table;
  private final Build build;
  private final String suffix;
  private final Path temporaryDirectory;
  private final WriterOptions options;
  private final SpillFiles spill;
  private @Nullable ParallelBuild builds;
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
    this.table = table;
    this.build = build;
    this.partitionCount = partitionCount;
    this.suffix = suffix;
    this.temporaryDirectory = temporaryDirectory;
    this.options = options;
    int buckets = partitionCount == AUTOMATIC ? BUCKETS : Math.min(partitionCount, BUCKETS);
    this.spill =
        new SpillFiles(
            temporaryDirectory, "bucket", buckets, ParallelBuild.bufferLength(options, buckets));
  }

  /**
   * Returns a writer for some partitions of a build.
   *
   * @param partitionCount how many partitions the whole snapshot has
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

  /**
   * Returns a writer of all partitions, of which it chooses the number unless the options give it.
   */
  static BuildWorker createAutomatic(
      Table table, Build build, Path temporaryDirectory, WriterOptions options) {
    return new BuildWorker(table, build, options.partitions(), "", temporaryDirectory, options);
  }

  /** Sets the listener that is told of progress. */
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
   * @throws IllegalArgumentException if the key or the value is too short or too long
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
    long high = KeyHash.hash(key, keyOffset, keyLength).getMostSignificantBits();
    try {
      spill.add(bucket(high), key, keyOffset, keyLength, value, valueOffset, valueLength);
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
              "the writer has failed, and records may be lost: close it and build anew");
      case FINISHED -> throw new IllegalStateException("the writer is finished");
      case CLOSED -> throw new IllegalStateException("the writer is closed");
    }
  }

  private int bucket(long high) {
    int buckets = spill.bucketCount();
    if (partitionCount == AUTOMATIC || partitionCount == buckets) {
      return new Partitioning(buckets).partition(high);
    }
    long partition = new Partitioning(partitionCount).partition(high);
    return (int) (partition * buckets / partitionCount);
  }

  /** Records added so far. */
  public long recordCount() {
    return recordCount;
  }

  /** Returns how many partitions the snapshot has; if automatic, known after {@link #finish}. */
  int partitionCount() {
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
    if (partitionCount == AUTOMATIC) {
      partitionCount = choosePartitions();
    }
    ParallelBuild run =
        new ParallelBuild(
            table, build, partitionCount, suffix, temporaryDirectory, options, spill, listener);
    builds = run;
    List<PartitionFile> files = run.run();
    state = State.FINISHED;
    return files;
  }

  /**
   * Returns the smallest power of two for which a quarter of the memory builds the costliest
   * partition.
   */
  private int choosePartitions() {
    long budget = Math.min(LARGEST_PARTITION, options.memoryBytes() / 4);
    long largest = 0;
    for (int partitions = 1; partitions <= BUCKETS; partitions *= 2) {
      int width = BUCKETS / partitions;
      largest = 0;
      for (int bucket = 0; bucket < BUCKETS; bucket += width) {
        largest = Math.max(largest, ParallelBuild.cost(spill, bucket, bucket + width));
      }
      if (largest <= budget) {
        return partitions;
      }
    }
    // Now the largest bucket.
    long parts = Long.highestOneBit(Math.max(1, largest / budget)) * 2;
    return (int) Math.min(SnapshotFormat.MAX_PARTITIONS, BUCKETS * parts);
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
      spill.close();
      Files.deleteIfExists(temporaryDirectory);
    } finally {
      if (!finished && builds != null) {
        for (String name : builds.created()) {
          table.storage().delete(build.directory() + "/" + name);
        }
      }
    }
  }
}
