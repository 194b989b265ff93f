package io.bsdb.writer;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.writer.intake.SpillFiles;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Divides records by their hash: into buckets as they come, and buckets into partitions. */
final class HashIntake implements RecordIntake {
  private static final int BUCKETS = 256;
  private static final int LARGEST_PARTITION = 512 << 20;

  private final Path temporaryDirectory;
  private final WriterOptions options;
  private final SpillFiles spill;
  private int partitionCount;

  /**
   * @param partitionCount of the whole snapshot; {@link BuildWorker#AUTOMATIC} for as many as the
   *     amount of data takes
   */
  HashIntake(Path temporaryDirectory, int partitionCount, WriterOptions options) {
    this.temporaryDirectory = temporaryDirectory;
    this.partitionCount = partitionCount;
    this.options = options;
    int buckets =
        partitionCount == BuildWorker.AUTOMATIC ? BUCKETS : Math.min(partitionCount, BUCKETS);
    this.spill =
        new SpillFiles(
            temporaryDirectory, "bucket", buckets, ParallelBuild.bufferLength(options, buckets));
  }

  @Override
  public void add(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    long high = KeyHash.hash(key, keyOffset, keyLength).getMostSignificantBits();
    spill.add(bucket(high), key, keyOffset, keyLength, value, valueOffset, valueLength);
  }

  private int bucket(long high) {
    int buckets = spill.bucketCount();
    if (partitionCount == BuildWorker.AUTOMATIC || partitionCount == buckets) {
      return new Partitioning(buckets).partition(high);
    }
    long partition = new Partitioning(partitionCount).partition(high);
    return (int) (partition * buckets / partitionCount);
  }

  @Override
  public Division divide() {
    if (partitionCount == BuildWorker.AUTOMATIC) {
      partitionCount = choosePartitions();
    }
    int buckets = spill.bucketCount();
    List<ParallelBuild.Task> tasks = new ArrayList<>();
    if (partitionCount <= buckets) {
      int width = buckets / partitionCount;
      for (int partition = 0; partition < partitionCount; partition++) {
        tasks.add(new One(partition, spill, partition * width, (partition + 1) * width));
      }
    } else {
      for (int bucket = 0; bucket < buckets; bucket++) {
        tasks.add(new Several(bucket));
      }
    }
    return new Division(partitionCount, tasks);
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
        largest = Math.max(largest, cost(bucket, bucket + width));
      }
      if (largest <= budget) {
        return partitions;
      }
    }
    // Now the largest bucket.
    long parts = Long.highestOneBit(Math.max(1, largest / budget)) * 2;
    return (int) Math.min(SnapshotFormat.MAX_PARTITIONS, BUCKETS * parts);
  }

  private long cost(int firstBucket, int endBucket) {
    return spill.bytes(firstBucket, endBucket)
        + ParallelBuild.BYTES_PER_RECORD * spill.records(firstBucket, endBucket);
  }

  /** A partition of whole buckets. */
  private record One(int partition, SpillFiles source, int firstBucket, int endBucket)
      implements ParallelBuild.Task {
    @Override
    public long cost() {
      return source.bytes(firstBucket, endBucket) + heap();
    }

    @Override
    public long heap() {
      return ParallelBuild.BYTES_PER_RECORD * source.records(firstBucket, endBucket);
    }

    @Override
    public void build(ParallelBuild.Worker worker) throws IOException {
      long count = source.records(firstBucket, endBucket);
      if (count == 0) {
        worker.skip();
        return;
      }
      worker.build(
          partition,
          source.bytes(firstBucket, endBucket),
          count,
          target -> target.load(source, firstBucket, endBucket));
      source.release(firstBucket, endBucket);
    }
  }

  /** The partitions of one bucket. */
  private final class Several implements ParallelBuild.Task {
    private final int bucket;
    private final int first;
    private final int end;

    Several(int bucket) {
      this.bucket = bucket;
      int buckets = spill.bucketCount();
      this.first = (int) (((long) bucket * partitionCount + buckets - 1) / buckets);
      this.end = (int) (((long) (bucket + 1) * partitionCount + buckets - 1) / buckets);
    }

    @Override
    public long cost() {
      return HashIntake.this.cost(bucket, bucket + 1) * spill.bucketCount() / partitionCount;
    }

    @Override
    public long heap() {
      long records = spill.records(bucket, bucket + 1) * spill.bucketCount() / partitionCount;
      return ParallelBuild.BYTES_PER_RECORD * records;
    }

    @Override
    public void build(ParallelBuild.Worker worker) throws IOException {
      String name = String.format(Locale.ROOT, "split-%05d", bucket);
      int bufferLength = ParallelBuild.bufferLength(options, end - first);
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
          new One(partition, split, partition - first, partition - first + 1).build(worker);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    spill.close();
  }
}
