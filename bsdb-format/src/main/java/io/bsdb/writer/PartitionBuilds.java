package io.bsdb.writer;

import io.bsdb.format.PartitionFile;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.TableStorage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Builds the partitions whose records lie in spill files, as many at once as processors and memory
 * allow. Used by one thread, once.
 */
final class PartitionBuilds {
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
  PartitionBuilds(
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

  /** The names of all files created so far. */
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

  /** Memory that it takes to build a partition of these buckets, in bytes. */
  static long cost(SpillFiles spill, int firstBucket, int endBucket) {
    long cost = 0;
    for (int bucket = firstBucket; bucket < endBucket; bucket++) {
      cost += spill.bytes(bucket) + BUILD_BYTES_PER_RECORD * spill.records(bucket);
    }
    return cost;
  }

  /** Either one partition, or all those whose records are in one bucket. */
  private record Task(int partition, int firstBucket, int endBucket) {
    static final int SEVERAL = -1;
  }

  /** Bytes to buffer in memory for each bucket. */
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
    for (Task task : tasks) {
      long cost = cost(spill, task.firstBucket, task.endBucket);
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
    BuildProgress progress = new BuildProgress(listener, partitionCount);
    ExecutorService executor =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "bsdb-build-" + named.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    // Closed last: workers that were interrupted may still compress with its dictionary.
    try (FrameCompression compression = new FrameCompression(options)) {
      List<Future<List<PartitionFile>>> workers = new ArrayList<>();
      try {
        for (int i = 0; i < threads; i++) {
          workers.add(executor.submit(() -> new Worker(compression, progress).work(tasks, next)));
        }
        return results(workers, () -> next.set(tasks.size()), executor);
      } finally {
        executor.shutdown();
        awaitEnd(executor);
      }
    }
  }

  private static List<PartitionFile> results(
      List<Future<List<PartitionFile>>> workers, Runnable stop, ExecutorService executor)
      throws IOException {
    List<PartitionFile> files = new ArrayList<>();
    Throwable failure = null;
    for (Future<List<PartitionFile>> worker : workers) {
      try {
        files.addAll(worker.get());
      } catch (ExecutionException e) {
        stop.run();
        if (failure == null) {
          failure = e.getCause();
        } else {
          failure.addSuppressed(e.getCause());
        }
      } catch (InterruptedException e) {
        stop.run();
        executor.shutdownNow();
        Thread.currentThread().interrupt();
        failure = new InterruptedIOException("interrupted while building partitions");
        break;
      }
    }
    rethrow(failure);
    return files;
  }

  private static void awaitEnd(ExecutorService executor) {
    boolean interrupted = false;
    while (!executor.isTerminated()) {
      try {
        executor.awaitTermination(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void rethrow(@Nullable Throwable failure) throws IOException {
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

  /** One thread's share. */
  private final class Worker {
    private final PartitionRecords records = new PartitionRecords();
    private final List<PartitionFile> files = new ArrayList<>();
    private final PartitionBuilder builder;
    private final BuildProgress progress;

    Worker(FrameCompression compression, BuildProgress progress) {
      this.progress = progress;
      this.builder =
          new PartitionBuilder(
              PartitionBuilds.this::create, options, compression, temporaryDirectory);
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
      try (SpillFiles split = new SpillFiles(temporaryDirectory, name, end - first, bufferLength)) {
        spill.drain(
            bucket,
            (bytes, key, keyLength, valueLength) -> {
              long high = KeyHash.hash(bytes, key, keyLength).getMostSignificantBits();
              int partition = SnapshotFormat.partition(high, partitionCount);
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
            "partition too large to build: partition=%d of %d expected<=%d records and <=%d bytes actual=%d records and %d bytes; use more partitions, unless one key comes very often: then remove its duplicates before the build"
                .formatted(
                    partition,
                    partitionCount,
                    SnapshotFormat.MAX_PARTITION_RECORDS,
                    MAX_LOADED_BYTES,
                    count,
                    bytes));
      }
      records.load(source, firstBucket, endBucket);
      String name =
          String.format(
              Locale.ROOT, "part-%05d%s.bsdb", partition, suffix.isEmpty() ? "" : "-" + suffix);
      PartitionFile file = builder.build(partition, name, records);
      files.add(file);
      progress.built(file.recordCount());
    }
  }
}
