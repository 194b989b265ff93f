package io.bsdb.writer;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.writer.intake.KeySorter;
import io.bsdb.writer.intake.RetentionFilter;
import io.bsdb.writer.intake.RunCursor;
import io.bsdb.writer.intake.SortedRun;
import io.bsdb.writer.intake.SpillFile;
import io.bsdb.writer.intake.SpillFiles;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sorts records and divides them into ranges of keys: fills a quarter of the memory, sorts that,
 * appends it to a file as a run, and so on; then every partition is merged from its part of all
 * runs. What fits a quarter of the memory never reaches the disk.
 */
final class SortedIntake implements RecordIntake {
  private static final int FIRST_BUFFER = 64 << 10;
  private static final int MAX_RUN_BYTES = 1 << 30;
  private static final int WRITE_BUFFER = 1 << 20;
  private static final int LARGEST_PARTITION = 512 << 20;

  /** Bytes of arrays that are needed to sort a record. */
  private static final int SORT_BYTES_PER_RECORD = 24;

  /** In front of every key. */
  private static final byte[] FIRST = new byte[0];

  private final Path temporaryDirectory;
  private final int partitionCount;
  private final WriterOptions options;
  private final long runBytes;
  private final List<SortedRun> runs = new ArrayList<>();
  private byte[] buffer = new byte[FIRST_BUFFER];
  private int buffered;
  private int[] starts = new int[1 << 10];
  private int count;
  private @Nullable SpillFile file;

  /**
   * @param partitionCount maximum; {@link BuildWorker#AUTOMATIC} for as many as the amount of data
   *     takes
   */
  SortedIntake(Path temporaryDirectory, int partitionCount, WriterOptions options) {
    this.temporaryDirectory = temporaryDirectory;
    this.partitionCount = partitionCount;
    this.options = options;
    this.runBytes = Math.min(MAX_RUN_BYTES, options.memoryBytes() / 4);
  }

  @Override
  public void add(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    int length = 8 + keyLength + valueLength;
    long needed = buffered + (long) length + SORT_BYTES_PER_RECORD * (count + 1L);
    if (count > 0 && needed > runBytes) {
      spill();
    }
    if (buffer.length - buffered < length) {
      long doubled = Math.min(runBytes, 2L * buffer.length);
      buffer = Arrays.copyOf(buffer, (int) Math.max(doubled, buffered + length));
    }
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
    }
    starts[count++] = buffered;
    int position = SpillFiles.putVarint(buffer, buffered, keyLength);
    position = SpillFiles.putVarint(buffer, position, valueLength);
    System.arraycopy(key, keyOffset, buffer, position, keyLength);
    position += keyLength;
    System.arraycopy(value, valueOffset, buffer, position, valueLength);
    buffered = position + valueLength;
  }

  /** Appends what is in memory to the file. */
  private void spill() throws IOException {
    KeySorter.sort(buffer, starts, count);
    SpillFile target = file;
    if (target == null) {
      target = SpillFile.create(temporaryDirectory, "runs", 0);
      file = target;
    }
    long start = target.length();
    SpillFile runsFile = target;
    byte[] chunk = new byte[WRITE_BUFFER];
    int[] filled = {0};
    SortedRun run =
        SortedRun.write(
            buffer,
            starts,
            count,
            buffered,
            (bytes, offset, length) -> {
              for (int done = 0; done < length; ) {
                int step = Math.min(length - done, chunk.length - filled[0]);
                System.arraycopy(bytes, offset + done, chunk, filled[0], step);
                done += step;
                filled[0] += step;
                if (filled[0] == chunk.length) {
                  runsFile.write(chunk, filled[0]);
                  filled[0] = 0;
                }
              }
            });
    runsFile.write(chunk, filled[0]);
    run.at(runsFile.map(start, run.length()));
    runs.add(run);
    buffered = 0;
    count = 0;
    if (buffer.length > runBytes) {
      buffer = new byte[FIRST_BUFFER]; // it held one long record
    }
  }

  @Override
  public Division divide() throws IOException {
    endRuns();
    TreeMap<Integer, byte[]> firstKeys = new TreeMap<>();
    firstKeys.put(0, FIRST);
    for (byte[] splitter : splitters()) {
      firstKeys.put(firstKeys.size(), splitter);
    }
    return new Division(firstKeys.size(), ranges(firstKeys));
  }

  /**
   * Divides at given keys.
   *
   * @param firstKeys by partition, ascending; a partition has the keys from there on, up to the
   *     next one's
   */
  Division divideAt(SortedMap<Integer, byte[]> firstKeys) throws IOException {
    endRuns();
    return new Division(partitionCount, ranges(firstKeys));
  }

  /** Makes what is in memory a run as well. */
  private void endRuns() throws IOException {
    if (runs.isEmpty() && count > 0) {
      KeySorter.sort(buffer, starts, count);
      ByteBuffer sorted = ByteBuffer.allocate(buffered);
      SortedRun run = SortedRun.write(buffer, starts, count, buffered, sorted::put);
      run.at(sorted);
      runs.add(run);
    } else if (count > 0) {
      spill();
    }
    buffer = new byte[0];
    starts = new int[0];
  }

  private List<ParallelBuild.Task> ranges(SortedMap<Integer, byte[]> firstKeys) {
    List<Integer> partitions = List.copyOf(firstKeys.keySet());
    List<byte[]> keys = List.copyOf(firstKeys.values());
    List<ParallelBuild.Task> tasks = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      byte[] bound = i + 1 < keys.size() ? keys.get(i + 1) : null;
      if (bound != null && Arrays.compareUnsigned(keys.get(i), bound) >= 0) {
        throw new IllegalArgumentException(
            "ranges of keys are not ascending: partition %d does not begin above partition %d"
                .formatted(partitions.get(i + 1), partitions.get(i)));
      }
      tasks.add(new Range(partitions.get(i), i == 0 ? FIRST : keys.get(i), bound));
    }
    return tasks;
  }

  private List<byte[]> splitters() {
    KeySamples samples = new KeySamples();
    for (SortedRun run : runs) {
      for (int i = 0; i < run.sampleCount(); i++) {
        samples.add(run.sampleKey(i), KeySamples.cost(run.bytesFrom(i), run.recordsFrom(i)));
      }
    }
    long budget = Math.min(LARGEST_PARTITION, options.memoryBytes() / 4) / 10 * 9;
    long wanted =
        partitionCount == BuildWorker.AUTOMATIC ? samples.total() / budget + 1 : partitionCount;
    return samples.splitters((int) Math.min(SnapshotFormat.MAX_PARTITIONS, wanted));
  }

  /** The records of all runs from one key on up to another. */
  private final class Range implements ParallelBuild.Task {
    private final int partition;
    private final SortedRun.Place[] from = new SortedRun.Place[runs.size()];
    private final SortedRun.Place[] end = new SortedRun.Place[runs.size()];
    private long bytes;
    private long records;

    /**
     * @param bound null for none
     */
    Range(int partition, byte[] first, byte @Nullable [] bound) {
      this.partition = partition;
      for (int i = 0; i < from.length; i++) {
        SortedRun run = runs.get(i);
        from[i] = run.find(first);
        end[i] = bound == null ? run.end() : run.find(bound);
        bytes += end[i].offset() - from[i].offset();
        records += end[i].records() - from[i].records();
      }
    }

    @Override
    public long cost() {
      return KeySamples.cost(bytes, records);
    }

    /** Returns all of it: records are merged into an array. */
    @Override
    public long heap() {
      return cost();
    }

    @Override
    public void build(ParallelBuild.Worker worker) throws IOException {
      if (records == 0) {
        worker.skip();
      } else {
        worker.build(partition, bytes, records, this::merge);
      }
    }

    private void merge(PartitionRecords target) throws IOException {
      PriorityQueue<RunCursor> cursors = new PriorityQueue<>(RunCursor::compareWith);
      for (int i = 0; i < from.length; i++) {
        RunCursor cursor = new RunCursor(runs.get(i).data(), i, from[i].offset(), end[i].offset());
        if (cursor.next()) {
          cursors.add(cursor);
        }
      }
      Merged merged =
          new Merged(
              (int) bytes,
              options.duplicates(),
              RetentionFilter.of(options.schema(), options.validity()));
      for (RunCursor least = cursors.poll(); least != null; least = cursors.poll()) {
        do {
          merged.add(least);
        } while (least.next() && (cursors.isEmpty() || least.compareWith(cursors.element()) < 0));
        if (!least.isAtEnd()) {
          cursors.add(least);
        }
      }
      target.load(ByteBuffer.wrap(merged.bytes, 0, merged.length), merged.count);
    }
  }

  /** Records in order, each key once, without those that are no longer kept. */
  private static final class Merged {
    private final byte[] bytes;
    private final Duplicates duplicates;
    private final @Nullable RetentionFilter retention;
    private int length;
    private int count;
    private int last;
    private int lastKey;
    private int lastKeyLength;

    Merged(int bytes, Duplicates duplicates, @Nullable RetentionFilter retention) {
      this.bytes = new byte[bytes];
      this.duplicates = duplicates;
      this.retention = retention;
    }

    void add(RunCursor record) throws IOException {
      boolean repeated = count > 0 && record.hasKey(bytes, lastKey, lastKeyLength);
      if (repeated) {
        switch (duplicates) {
          case FAIL -> throw new DuplicateKeyException(record.key());
          case FIRST -> {
            return;
          }
          case LAST -> removeLast();
        }
      }
      int key = length + record.keyInRecord();
      record.copy(bytes, length);
      if (count > 0
          && !repeated // then the record that it repeats has replaced the one in front
          && retention != null
          && retention.replaces(bytes, key, record.keyLength(), lastKey, lastKeyLength)) {
        removeLast();
        key = length + record.keyInRecord();
        record.copy(bytes, length);
      }
      last = length;
      lastKey = key;
      lastKeyLength = record.keyLength();
      length += record.recordLength();
      count++;
    }

    private void removeLast() {
      length = last;
      count--;
    }
  }

  @Override
  public void close() throws IOException {
    buffer = new byte[0];
    runs.clear();
    SpillFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
