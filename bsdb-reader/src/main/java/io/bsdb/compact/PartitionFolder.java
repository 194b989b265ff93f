package io.bsdb.compact;

import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Build;
import io.bsdb.table.PartitionSource;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.BuildWorker;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds partitions again, with their changes. In hash order each becomes one file, whose records
 * are read where they lie: no copy of them is written. Only a partition that does not fit the
 * memory that builds have goes through a spill file. In key order records are sorted in memory, as
 * in any build. A partition without records goes then, and one that has become too large is
 * divided; the first keys of the files that follow from it are its new bounds. A key between two
 * bounds then belongs to the partition in front of it, to which older changes may apply: not to
 * such a key, for it has no record, so the last of them is a delete.
 */
final class PartitionFolder {
  private final SnapshotReader reader;
  private final Table table;
  private final Build build;
  private final Path temporary;
  private final Throttle throttle;
  private final WriterOptions options;

  PartitionFolder(
      SnapshotReader reader, Table table, Build build, Path directory, Throttle throttle) {
    this.reader = reader;
    this.table = table;
    this.build = build;
    this.temporary = directory.resolve(build.stagingDirectory());
    this.throttle = throttle;
    this.options = WriterOptions.like(reader.manifest());
  }

  /**
   * Folds partitions.
   *
   * @param partitions their numbers, ascending
   * @return by the partition's number, the files that take its place
   */
  Map<Integer, List<PartitionFile>> fold(List<Integer> partitions) throws IOException {
    Map<Integer, List<PartitionFile>> files =
        options.order() == RecordOrder.KEY ? foldRanges(partitions) : foldHashes(partitions);
    if (files.values().stream().anyMatch(written -> !written.isEmpty())) {
      table.storage().syncDirectory(build.directory());
    }
    return files;
  }

  private Map<Integer, List<PartitionFile>> foldHashes(List<Integer> partitions)
      throws IOException {
    Map<Integer, List<PartitionFile>> files = new HashMap<>();
    List<PartitionSource> sources = new ArrayList<>();
    List<Integer> spilled = new ArrayList<>();
    for (int partition : partitions) {
      PartitionSource source = reader.source(partition, throttle.ofHolders());
      if (SnapshotPublisher.fits(source, options)) {
        sources.add(source);
      } else {
        spilled.add(partition);
      }
    }
    List<PartitionFile> written = new ArrayList<>();
    if (!sources.isEmpty()) {
      written.addAll(read(sources));
    }
    if (!spilled.isEmpty()) {
      written.addAll(write(spilled, "fold"));
    }
    written.forEach(file -> files.put(file.partition(), List.of(file)));
    for (int partition : partitions) {
      if (!files.containsKey(partition)) {
        files.put(partition, List.of(buildEmpty(partition)));
      }
    }
    return files;
  }

  private Map<Integer, List<PartitionFile>> foldRanges(List<Integer> partitions)
      throws IOException {
    Map<Integer, List<PartitionFile>> files = new HashMap<>();
    boolean empty = partitions.size() == reader.partitionCount();
    for (int partition : partitions) {
      List<PartitionFile> written =
          write(List.of(partition), "fold-" + build.version() + "-" + partition);
      files.put(partition, written);
      empty &= written.isEmpty();
    }
    if (empty) {
      files.put(0, List.of(buildEmpty(0).ordered(0, Bound.FIRST)));
    }
    return files;
  }

  private PartitionFile buildEmpty(int partition) throws IOException {
    return SnapshotPublisher.buildEmpty(table, build, partition, options);
  }

  private List<PartitionFile> read(List<PartitionSource> sources) throws IOException {
    try {
      return SnapshotPublisher.build(
          table, build, reader.partitionCount(), "fold", temporary, options, sources);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private List<PartitionFile> write(List<Integer> partitions, String suffix) throws IOException {
    try (BuildWorker worker =
        BuildWorker.create(table, build, reader.partitionCount(), suffix, temporary, options)) {
      for (int partition : partitions) {
        copy(partition, worker);
      }
      return worker.finish();
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private void copy(int partition, BuildWorker worker) throws IOException {
    try (RecordCursor cursor = reader.allVersions().scan(partition)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        byte[] value = cursor.value();
        worker.add(key, value);
        throttle.pass(key.length + value.length);
      }
    }
  }

  /** Numbers partitions in key order again, after some have gone or been divided. */
  static List<PartitionFile> numbered(List<PartitionFile> partitions) {
    if (!partitions.get(0).lowerBound().isKey()) {
      return partitions;
    }
    List<PartitionFile> numbered = new ArrayList<>();
    for (PartitionFile file : partitions) {
      Bound bound = numbered.isEmpty() ? Bound.FIRST : file.lowerBound();
      numbered.add(file.ordered(numbered.size(), bound));
    }
    return numbered;
  }
}
