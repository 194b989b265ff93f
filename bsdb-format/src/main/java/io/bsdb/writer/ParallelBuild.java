package io.bsdb.writer;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Build;
import io.bsdb.table.PartitionFile;
import io.bsdb.table.Partitioning;
import io.bsdb.table.Table;
import io.bsdb.table.TableStorage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Builds the partitions whose records lie in spill files, as many at once as processors and memory
 * allow. Used by one thread, once.
 */
final class ParallelBuild {
  private static final int BUILD_BYTES_PER_RECORD = 72;
  private static final int MAX_LOADED_BYTES = Integer.MAX_VALUE - (1 << 20);

  private final Table table;
  private final Build build;
  private final int partitionCount;
  private final String suffix;
  private final Path temporaryDirectory;
  private final WriterOptions options;
  private final SpillFiles spill;
  private final BuildListener listener;
  private final List<String> created = new ArrayList<>();

  /**
   * @param suffix of the names of all files
   * @param temporaryDirectory for buckets that have to be split
   * @param spill whose buckets hold whole partitions, or whose partitions hold whole buckets
   */
  ParallelBuild(
      Table table,
      Build build,
      int partitionCount,
      String suffix,
      Path temporaryDirectory,
      WriterOptions options,
      SpillFiles spill,
      BuildListener listener) {
    this.table = table;
    this.build = build;
    this.partitionCount = partitionCount;
    this.suffix = suffix;
    this.temporaryDirectory = temporaryDirectory;
    this.options = options;
    this.spill = spill;
    this.listener = listener;
  }

  /** Returns the names of all files created so far. */
  synchronized List<String> created() {
    return List.copyOf(created);
  }

  private TableStorage.Output create(String name) throws IOException {
    TableStorage.Output output = table.storage().create(build.directory() + "/" + name);
    synchronized (this) {
      created.add(name);
    }
    return output;
  }

  /** Returns the memory that it takes to build a partition of these buckets, in bytes. */
  static long cost(SpillFiles spill, int firstBucket, int endBucket) {
    return spill.bytes(firstBucket, endBucket)
        + BUILD_BYTES_PER_RECORD * spill.records(firstBucket, endBucket);
  }

  /** Either one partition, or all those whose records are in one bucket. */
  private record Task(int partition, int firstBucket, int endBucket) {
    static final int SEVERAL = -1;
  }

  /** Returns the bytes to buffer in memory for each bucket. */
  static int bufferLength(WriterOptions options, int buckets) {
    return (int) Math.max(8 << 10, Math.min(256 << 10, options.memoryBytes() / 8 / buckets));
  }

  /** Builds all. Returns the entries of those that have records, in order. */
  List<PartitionFile> run() throws IOException {
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
    return files;
  }

  private List<PartitionFile> run(List<Task> tasks) throws IOException {
    long largest = 1;
    long mostRecords = 0;
    for (Task task : tasks) {
      long cost = cost(spill, task.firstBucket, task.endBucket);
      long records = spill.records(task.firstBucket, task.endBucket);
      if (task.partition == Task.SEVERAL) {
        cost = cost * spill.bucketCount() / partitionCount;
        records = records * spill.bucketCount() / partitionCount;
      }
      largest = Math.max(largest, cost);
      mostRecords = Math.max(mostRecords, records);
    }
    long affordable = Math.max(1, options.memoryBytes() * 3 / 4 / largest);
    int wanted =
        options.threads() > 0 ? options.threads() : Runtime.getRuntime().availableProcessors();
    int most = Math.min(tasks.size(), wanted);
    int threads = (int) Math.min(affordable, most);
    long heap = BUILD_BYTES_PER_RECORD * mostRecords;
    AtomicInteger next = new AtomicInteger();
    BuildProgress progress = new BuildProgress(listener, partitionCount);
    RecordCompression recordCompression = new RecordCompression(options);
    try (FrameCompression compression = new FrameCompression(options)) {
      return BuildThreads.run(
          threads,
          () -> work(new Worker(compression, recordCompression, progress), tasks, next, heap),
          () -> next.set(tasks.size()));
    }
  }

  private static List<PartitionFile> work(
      Worker worker, List<Task> tasks, AtomicInteger next, long heap) throws IOException {
    BuildMemory memory = BuildMemory.ofProcess();
    try {
      if (!memory.acquire(heap, () -> next.get() < tasks.size())) {
        return List.of();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for memory to build partitions");
    }
    try {
      return worker.work(tasks, next);
    } finally {
      memory.release(heap);
    }
  }

  /** One thread's share. */
  private final class Worker {
    private final PartitionRecords records = new PartitionRecords();
    private final List<PartitionFile> files = new ArrayList<>();
    private final PartitionFileBuilder builder;
    private final BuildProgress progress;

    Worker(
        FrameCompression compression, RecordCompression recordCompression, BuildProgress progress) {
      this.progress = progress;
      this.builder =
          new PartitionFileBuilder(
              ParallelBuild.this::create,
              options,
              compression,
              recordCompression,
              temporaryDirectory);
    }

    List<PartitionFile> work(List<Task> tasks, AtomicInteger next) throws IOException {
      for (int i = next.getAndIncrement(); i < tasks.size(); i = next.getAndIncrement()) {
        Task task = tasks.get(i);
        try {
          if (task.partition == Task.SEVERAL) {
            buildSeveral(task.firstBucket);
          } else {
            build(task.partition, spill, task.firstBucket, task.endBucket);
          }
        } catch (IOException | RuntimeException | Error e) {
          next.set(tasks.size());
          throw e;
        }
      }
      return files;
    }

    private void buildSeveral(int bucket) throws IOException {
      int buckets = spill.bucketCount();
      int first = (int) (((long) bucket * partitionCount + buckets - 1) / buckets);
      int end = (int) (((long) (bucket + 1) * partitionCount + buckets - 1) / buckets);
      String name = String.format(Locale.ROOT, "split-%05d", bucket);
      int bufferLength = bufferLength(options, end - first);
      Partitioning partitioning = new Partitioning(partitionCount);
      try (SpillFiles split = new SpillFiles(temporaryDirectory, name, end - first, bufferLength)) {
        spill.drain(
            bucket,
            (bytes, key, keyLength, valueLength) -> {
              long high = KeyHash.hash(bytes, key, keyLength).getMostSignificantBits();
              int partition = partitioning.partition(high);
              int value = key + keyLength;
              split.add(partition - first, bytes, key, keyLength, bytes, value, valueLength);
            });
        for (int partition = first; partition < end; partition++) {
          build(partition, split, partition - first, partition - first + 1);
        }
      }
    }

    private void build(int partition, SpillFiles source, int firstBucket, int endBucket)
        throws IOException {
      long bytes = source.bytes(firstBucket, endBucket);
      long count = source.records(firstBucket, endBucket);
      if (count == 0) {
        progress.built(0);
        return;
      }
      if (bytes > MAX_LOADED_BYTES || count > SnapshotFormat.MAX_PARTITION_RECORDS) {
        throw new IOException(
            "partition too large to build: partition=%d of %d expected<=%d records and <=%d bytes actual=%d records and %d bytes; use more partitions, unless one key comes very often: then remove its duplicates before the build"
                .formatted(
                    partition,
                    partitionCount,
                    SnapshotFormat.MAX_PARTITION_RECORDS,
                    MAX_LOADED_BYTES,
                    count,
                    bytes));
      }
      String name =
          String.format(
              Locale.ROOT, "part-%05d%s.bsdb", partition, suffix.isEmpty() ? "" : "-" + suffix);
      PartitionFile file;
      try {
        records.load(source, firstBucket, endBucket);
        file = builder.build(partition, name, records);
      } catch (OutOfMemoryError e) {
        throw new IOException(
            "not enough memory to build a partition: partition=%d of %d with %d records and %d bytes, heap<=%d bytes (-Xmx), direct memory<=%d bytes (-XX:MaxDirectMemorySize): %s; use more partitions, or raise the limit"
                .formatted(
                    partition,
                    partitionCount,
                    count,
                    bytes,
                    Runtime.getRuntime().maxMemory(),
                    BuildMemory.directLimit(),
                    e.getMessage()),
            e);
      } catch (InternalError e) {
        // That is how the JVM reports that mapped memory could not be read.
        throw new IOException(
            "temporary file cannot be read: directory=%s partition=%d: %s; look after the disk, or choose another temporary directory, and build anew"
                .formatted(temporaryDirectory, partition, e.getMessage()),
            e);
      }
      source.release(firstBucket, endBucket);
      files.add(file);
      progress.built(file.recordCount());
    }
  }
}
