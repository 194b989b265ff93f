package io.bsdb.writer;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.IOConsumer;
import io.bsdb.table.Build;
import io.bsdb.table.PartitionSource;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.writer.options.WriterOptions;
import io.bsdb.writer.work.BuildMemory;
import io.bsdb.writer.work.BuildThreads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** Builds partitions, as many at once as processors and memory allow. Used by one thread, once. */
final class ParallelBuild {
  /** Memory that it takes to build, beside the records themselves. */
  static final int BYTES_PER_RECORD = 72;

  /** The same for records that are read where they lie. */
  private static final int BYTES_PER_LENT_RECORD = 88;

  private static final int MAX_LOADED_BYTES = Integer.MAX_VALUE - (1 << 20);

  private final Table table;
  private final Build build;
  private final String suffix;
  private final Path temporaryDirectory;
  private final WriterOptions options;
  private final List<String> created = new ArrayList<>();

  /**
   * @param suffix of the names of all files
   * @param temporaryDirectory for the files of perfect hashes under construction
   */
  ParallelBuild(
      Table table, Build build, String suffix, Path temporaryDirectory, WriterOptions options) {
    this.table = table;
    this.build = build;
    this.suffix = suffix;
    this.temporaryDirectory = temporaryDirectory;
    this.options = options;
  }

  private TableStorage.Output create(String name) throws IOException {
    String path = build.directory() + "/" + name;
    TableStorage.Output output = table.storage().create(path);
    synchronized (this) {
      created.add(path);
    }
    return output;
  }

  /** Deletes all files created so far. */
  synchronized void deleteCreated() throws IOException {
    for (String path : created) {
      table.storage().delete(path);
    }
  }

  /** The records of one or several partitions. Run by one thread. */
  interface Task {
    /** Returns the memory that it takes to build the costliest of the partitions, in bytes. */
    long cost();

    /** Returns how much of that is on the heap. */
    long heap();

    /** Returns whether the partitions are still wanted. */
    default boolean isWanted() {
      return true;
    }

    void build(Worker worker) throws IOException;
  }

  /** A partition whose records are read where they lie. */
  record Lent(PartitionSource source) implements Task {
    @Override
    public long cost() {
      return source.bytes() + BYTES_PER_LENT_RECORD * source.maxRecords();
    }

    @Override
    public long heap() {
      return source.copiedBytes() + BYTES_PER_LENT_RECORD * source.maxRecords();
    }

    /** Returns whether it can be built with the memory that builds have. */
    boolean fits(WriterOptions options) {
      return cost() <= options.memoryBytes() / 4 * 3
          && source.maxRecords() <= SnapshotFormat.MAX_PARTITION_RECORDS
          && (source.copiedBytes() == 0 || heap() <= BuildMemory.ofProcess().heap());
    }

    @Override
    public boolean isWanted() {
      return source.isWanted();
    }

    @Override
    public void build(Worker worker) throws IOException {
      try {
        worker.load(
            source.partition(), source.bytes(), source.maxRecords(), target -> target.load(source));
      } catch (InternalError e) {
        source.requireReadable(e);
        throw e;
      }
      source.requireReadable(null);
    }
  }

  /** Returns the bytes to buffer in memory for each bucket. */
  static int bufferLength(WriterOptions options, int buckets) {
    return (int) Math.max(8 << 10, Math.min(256 << 10, options.memoryBytes() / 8 / buckets));
  }

  /**
   * Builds all.
   *
   * @param progress of as many partitions as the snapshot has
   * @return the entries of those that have records, in order
   */
  List<PartitionFile> run(List<Task> tasks, BuildProgress progress) throws IOException {
    List<PartitionFile> files = runAll(tasks, progress);
    files.sort(Comparator.comparingInt(PartitionFile::partition));
    return files;
  }

  private List<PartitionFile> runAll(List<Task> tasks, BuildProgress progress) throws IOException {
    long largest = 1;
    long heap = 0;
    for (Task task : tasks) {
      largest = Math.max(largest, task.cost());
      heap = Math.max(heap, task.heap());
    }
    long affordable = Math.max(1, options.memoryBytes() * 3 / 4 / largest);
    int wanted =
        options.threads() > 0 ? options.threads() : Runtime.getRuntime().availableProcessors();
    int most = Math.min(tasks.size(), wanted);
    int threads = (int) Math.min(affordable, most);
    BuildMemory.Share memory = BuildMemory.ofProcess().share(heap);
    AtomicInteger next = new AtomicInteger();
    RecordCompression recordCompression = new RecordCompression(options);
    try (FrameCompression compression = new FrameCompression(options)) {
      return BuildThreads.run(
          threads,
          () -> work(new Worker(compression, recordCompression, progress), tasks, next, memory),
          () -> next.set(tasks.size()));
    }
  }

  private static List<PartitionFile> work(
      Worker worker, List<Task> tasks, AtomicInteger next, BuildMemory.Share memory)
      throws IOException {
    try {
      if (!memory.acquire(() -> next.get() < tasks.size() && tasks.get(0).isWanted())) {
        if (next.get() < tasks.size()) {
          throw new InterruptedIOException("stopped while waiting for memory to build partitions");
        }
        return List.of();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for memory to build partitions");
    }
    try {
      return worker.work(tasks, next);
    } finally {
      memory.release();
    }
  }

  /** One thread's share. */
  final class Worker {
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
          task.build(this);
        } catch (IOException | RuntimeException | Error e) {
          next.set(tasks.size());
          throw e;
        }
      }
      return files;
    }

    /** Notes that a partition has no records. */
    void skip() {
      progress.built(0);
    }

    /**
     * Builds a partition.
     *
     * @param bytes of its records as they are loaded
     * @param count of its records
     */
    void build(int partition, long bytes, long count, IOConsumer<PartitionRecords> load)
        throws IOException {
      if (bytes > MAX_LOADED_BYTES || count > SnapshotFormat.MAX_PARTITION_RECORDS) {
        throw new IOException(
            "partition too large to build: partition=%d of %d expected<=%d records and <=%d bytes actual=%d records and %d bytes; use more partitions, unless one key comes very often: then remove its duplicates before the build"
                .formatted(
                    partition,
                    progress.partitionCount(),
                    SnapshotFormat.MAX_PARTITION_RECORDS,
                    MAX_LOADED_BYTES,
                    count,
                    bytes));
      }
      try {
        load(partition, bytes, count, load);
      } catch (InternalError e) {
        // That is how the JVM reports that mapped memory could not be read.
        throw new IOException(
            "temporary file cannot be read: directory=%s partition=%d: %s; check the disk or choose another temporary directory, then build again"
                .formatted(temporaryDirectory, partition, e.getMessage()),
            e);
      }
    }

    private void load(int partition, long bytes, long count, IOConsumer<PartitionRecords> load)
        throws IOException {
      String name =
          String.format(
              Locale.ROOT, "part-%05d%s.bsdb", partition, suffix.isEmpty() ? "" : "-" + suffix);
      PartitionFile file;
      try {
        load.accept(records);
        if (records.count() == 0) {
          skip();
          return;
        }
        file = builder.build(partition, name, records);
      } catch (OutOfMemoryError e) {
        throw new IOException(
            "not enough memory to build a partition: partition=%d of %d with %d records and %d bytes, heap<=%d bytes (-Xmx), direct memory<=%d bytes (-XX:MaxDirectMemorySize): %s; use more partitions, or raise the limit"
                .formatted(
                    partition,
                    progress.partitionCount(),
                    count,
                    bytes,
                    Runtime.getRuntime().maxMemory(),
                    BuildMemory.directLimit(),
                    e.getMessage()),
            e);
      }
      files.add(file);
      progress.built(file.recordCount());
    }
  }
}
