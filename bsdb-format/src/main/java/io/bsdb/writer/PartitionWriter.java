package io.bsdb.writer;

import io.bsdb.format.PartitionFile;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * One process' share of a build: takes records of any of the snapshot's partitions and writes their
 * files. Publishes nothing; see {@link SnapshotPublisher}. All records of a partition must come to
 * one writer. Used by one thread; {@link #finish} builds partitions in parallel, as far as the
 * memory allows.
 */
public final class PartitionWriter implements Closeable {
  /** Stands for: chosen by {@link #finish} from the amount of data. */
  static final int AUTOMATIC = 0;

  private static final Pattern SUFFIX = Pattern.compile("[A-Za-z0-9-]{0,100}");
  private static final int BUCKETS = 256;
  private static final int LARGEST_PARTITION = 512 << 20;
  private static final int BUILD_BYTES_PER_RECORD = 72;
  private static final int MAX_LOADED_BYTES = Integer.MAX_VALUE - (1 << 20);

  private final Table table;
  private final Build build;
  private final String suffix;
  private final Path temporaryDirectory;
  private final WriterOptions options;
  private final SpillFiles spill;
  private final List<String> created = new ArrayList<>();
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

  private PartitionWriter(
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
    this.spill = new SpillFiles(temporaryDirectory, "bucket", buckets, bufferLength(buckets));
  }

  private int bufferLength(int buckets) {
    return (int) Math.max(8 << 10, Math.min(256 << 10, options.memoryBytes() / 8 / buckets));
  }

  /**
   * A writer for some partitions of a build.
   *
   * @param partitionCount how many partitions the whole snapshot has
   * @param suffix makes the names of this attempt's files different from those of others; letters,
   *     digits, '-'
   * @param temporaryDirectory for spill files, of this writer alone; created when needed
   */
  public static PartitionWriter create(
      Table table,
      Build build,
      int partitionCount,
      String suffix,
      Path temporaryDirectory,
      WriterOptions options) {
    if (partitionCount < 1 || partitionCount > SnapshotFormat.MAX_PARTITIONS) {
      throw new IllegalArgumentException(
          "partitions out of range: expected 1 to %d, actual %d"
              .formatted(SnapshotFormat.MAX_PARTITIONS, partitionCount));
    }
    if (!SUFFIX.matcher(suffix).matches()) {
      throw new IllegalArgumentException(
          "suffix of file names: expected up to 100 letters, digits and '-', actual '%s'"
              .formatted(suffix));
    }
    return new PartitionWriter(table, build, partitionCount, suffix, temporaryDirectory, options);
  }

  /** A writer of all partitions, of which it chooses the number. */
  static PartitionWriter createAutomatic(
      Table table, Build build, Path temporaryDirectory, WriterOptions options) {
    return new PartitionWriter(table, build, options.partitions(), "", temporaryDirectory, options);
  }

  /** Who hears of progress. */
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
    if (valueLength > SnapshotFormat.MAX_VALUE_LENGTH) {
      throw new IllegalArgumentException(
          "value too long: record=%d expected<=%d actual=%d"
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
      return SnapshotFormat.partition(high, buckets);
    }
    return (int) ((long) SnapshotFormat.partition(high, partitionCount) * buckets / partitionCount);
  }

  /** Records added so far. */
  public long recordCount() {
    return recordCount;
  }

  /** How many partitions the snapshot has; if automatic, known after {@link #finish}. */
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
    int buckets = spill.bucketCount();
    List<Task> tasks = new ArrayList<>();
    if (partitionCount <= buckets) {
      int width = buckets / partitionCount;
      for (int partition = 0; partition < partitionCount; partition++) {
        tasks.add(new Task(partition, partition * width, (partition + 1) * width));
      }
    } else {
      for (int bucket = 0; bucket < buckets; bucket++) {
        tasks.add(new Task(Task.SEVERAL, bucket, bucket + 1));
      }
    }
    List<PartitionFile> files = run(tasks);
    files.sort(Comparator.comparingInt(PartitionFile::partition));
    state = State.FINISHED;
    return files;
  }

  /** Either one partition, or all those whose records are in one bucket. */
  private record Task(int partition, int firstBucket, int endBucket) {
    static final int SEVERAL = -1;
  }

  private long cost(int firstBucket, int endBucket) {
    long cost = 0;
    for (int bucket = firstBucket; bucket < endBucket; bucket++) {
      cost += spill.bytes(bucket) + BUILD_BYTES_PER_RECORD * spill.records(bucket);
    }
    return cost;
  }

  /** The smallest power of two for which a quarter of the memory builds the costliest partition. */
  private int choosePartitions() {
    long budget = Math.min(LARGEST_PARTITION, options.memoryBytes() / 4);
    for (int partitions = 1; partitions <= BUCKETS; partitions *= 2) {
      int width = BUCKETS / partitions;
      long largest = 0;
      for (int bucket = 0; bucket < BUCKETS; bucket += width) {
        largest = Math.max(largest, cost(bucket, bucket + width));
      }
      if (largest <= budget) {
        return partitions;
      }
    }
    long largest = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      largest = Math.max(largest, cost(bucket, bucket + 1));
    }
    long parts = Long.highestOneBit(Math.max(1, largest / budget)) * 2;
    return (int) Math.min(SnapshotFormat.MAX_PARTITIONS, BUCKETS * parts);
  }

  private List<PartitionFile> run(List<Task> tasks) throws IOException {
    long largest = 1;
    for (Task task : tasks) {
      long cost = cost(task.firstBucket, task.endBucket);
      largest =
          Math.max(
              largest,
              task.partition == Task.SEVERAL ? cost * spill.bucketCount() / partitionCount : cost);
    }
    long affordable = Math.max(1, options.memoryBytes() * 3 / 4 / largest);
    int most = Math.min(tasks.size(), Runtime.getRuntime().availableProcessors());
    int threads = (int) Math.min(affordable, most);
    AtomicInteger next = new AtomicInteger();
    AtomicInteger named = new AtomicInteger();
    Progress progress = new Progress(listener, partitionCount);
    ExecutorService executor =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "bsdb-build-" + named.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    List<PartitionFile> files = new ArrayList<>();
    try (FrameCompression compression = new FrameCompression(options)) {
      List<Future<List<PartitionFile>>> workers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        workers.add(executor.submit(() -> work(tasks, next, compression, progress)));
      }
      Throwable failure = null;
      for (Future<List<PartitionFile>> worker : workers) {
        try {
          files.addAll(worker.get());
        } catch (ExecutionException e) {
          next.set(tasks.size());
          if (failure == null) {
            failure = e.getCause();
          } else {
            failure.addSuppressed(e.getCause());
          }
        } catch (InterruptedException e) {
          next.set(tasks.size());
          executor.shutdownNow();
          Thread.currentThread().interrupt();
          failure = new java.io.InterruptedIOException("interrupted while building partitions");
          break;
        }
      }
      rethrow(failure);
    } finally {
      executor.shutdown();
      awaitEnd(executor);
    }
    return files;
  }

  private static void awaitEnd(ExecutorService executor) {
    boolean interrupted = false;
    while (!executor.isTerminated()) {
      try {
        executor.awaitTermination(1, java.util.concurrent.TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void rethrow(@org.jspecify.annotations.Nullable Throwable failure)
      throws IOException {
    if (failure instanceof IOException e) {
      throw e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    if (failure != null) {
      throw new IOException("building a partition failed", failure);
    }
  }

  private List<PartitionFile> work(
      List<Task> tasks, AtomicInteger next, FrameCompression compression, Progress progress)
      throws IOException {
    List<PartitionFile> files = new ArrayList<>();
    PartitionRecords records = new PartitionRecords();
    PartitionBuilder builder =
        new PartitionBuilder(
            table.storage(), build, partitionCount, options, compression, temporaryDirectory);
    for (int i = next.getAndIncrement(); i < tasks.size(); i = next.getAndIncrement()) {
      Task task = tasks.get(i);
      try {
        if (task.partition == Task.SEVERAL) {
          buildSeveral(task.firstBucket, records, builder, files, progress);
        } else {
          build(
              task.partition,
              spill,
              task.firstBucket,
              task.endBucket,
              records,
              builder,
              files,
              progress);
        }
      } catch (IOException | RuntimeException | Error e) {
        next.set(tasks.size());
        throw e;
      }
    }
    return files;
  }

  private void buildSeveral(
      int bucket,
      PartitionRecords records,
      PartitionBuilder builder,
      List<PartitionFile> files,
      Progress progress)
      throws IOException {
    int buckets = spill.bucketCount();
    int first = (int) (((long) bucket * partitionCount + buckets - 1) / buckets);
    int end = (int) (((long) (bucket + 1) * partitionCount + buckets - 1) / buckets);
    try (SpillFiles split =
        new SpillFiles(
            temporaryDirectory,
            String.format(Locale.ROOT, "split-%05d", bucket),
            end - first,
            bufferLength(end - first))) {
      spill.drain(
          bucket,
          (bytes, keyOffset, keyLength, valueLength) -> {
            long high = KeyHash.hash(bytes, keyOffset, keyLength).getMostSignificantBits();
            int partition = SnapshotFormat.partition(high, partitionCount);
            split.add(
                partition - first,
                bytes,
                keyOffset,
                keyLength,
                bytes,
                keyOffset + keyLength,
                valueLength);
          });
      for (int partition = first; partition < end; partition++) {
        build(
            partition,
            split,
            partition - first,
            partition - first + 1,
            records,
            builder,
            files,
            progress);
      }
    }
  }

  private void build(
      int partition,
      SpillFiles source,
      int firstBucket,
      int endBucket,
      PartitionRecords records,
      PartitionBuilder builder,
      List<PartitionFile> files,
      Progress progress)
      throws IOException {
    long bytes = 0;
    long count = 0;
    for (int bucket = firstBucket; bucket < endBucket; bucket++) {
      bytes += source.bytes(bucket);
      count += source.records(bucket);
    }
    if (count == 0) {
      progress.built(0);
      return;
    }
    if (bytes > MAX_LOADED_BYTES || count > SnapshotFormat.MAX_PARTITION_RECORDS) {
      throw new IOException(
          "partition too large to build: partition=%d of %d records=%d bytes=%d; use more partitions"
              .formatted(partition, partitionCount, count, bytes));
    }
    records.load(source, firstBucket, endBucket);
    String name =
        String.format(
            Locale.ROOT, "part-%05d%s.bsdb", partition, suffix.isEmpty() ? "" : "-" + suffix);
    synchronized (created) {
      created.add(name);
    }
    PartitionFile file = builder.build(partition, name, records);
    files.add(file);
    progress.built(file.recordCount());
  }

  private static final class Progress {
    private final BuildListener listener;
    private final int total;
    private final AtomicLong records = new AtomicLong();
    private int done;

    Progress(BuildListener listener, int total) {
      this.listener = listener;
      this.total = total;
    }

    synchronized void built(int count) {
      listener.partitionBuilt(++done, total, records.addAndGet(count));
    }
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
      if (!finished) {
        for (String name : created) {
          table.storage().delete(build.directory() + "/" + name);
        }
      }
    }
  }
}
