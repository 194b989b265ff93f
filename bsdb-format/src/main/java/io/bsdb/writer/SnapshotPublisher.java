package io.bsdb.writer;

import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.Closing;
import io.bsdb.table.Build;
import io.bsdb.table.PartitionSource;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.Table.Published;
import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.TooFewRowsException.Limit;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Puts the partition files that one or many {@link BuildWorker}s built in service as one snapshot.
 *
 * @hidden
 */
@Internal
public final class SnapshotPublisher {
  private static final Pattern EMPTY = Pattern.compile("part-[0-9]{5}-empty-.*\\.bsdb");

  private SnapshotPublisher() {}

  /**
   * Completes and publishes a build. May be repeated with the same arguments: that changes nothing
   * if the build, or one that followed it, is in service. After a rollback to the version before
   * the build it puts the build in service again, with the files and the manifest that it has.
   *
   * <p>Partitions for which no file is given are empty. Other files in the snapshot's directory,
   * left by failed attempts, are deleted; those of empty partitions once the build is published
   * again or goes. So is all that a build wrote which is refused; after any other failure its files
   * stay, and publishing may be tried again.
   *
   * <p>In key order the numbers of files must ascend with their keys. Those in between that have no
   * file, or no records, are left out of the table.
   *
   * @throws TooFewRowsException if the options demand more rows
   * @throws IllegalArgumentException if a partition has two files or is out of range, if the files
   *     are not in the order of their keys, or if the manifest would be too long
   * @throws java.nio.file.NoSuchFileException if one of the files is gone
   * @throws PublishConflictException if another version was put in service since the build began
   */
  public static Manifest publish(
      Table table,
      Build build,
      int partitionCount,
      List<PartitionFile> files,
      WriterOptions options)
      throws IOException {
    @Nullable PartitionFile[] byPartition =
        options.order() == RecordOrder.KEY ? byKey(files) : byPartition(files, partitionCount);
    try {
      return complete(table, build, byPartition, options);
    } catch (PublishConflictException | TooFewRowsException | IllegalArgumentException refused) {
      Closing.after(refused, () -> table.abort(build));
      throw refused;
    }
  }

  /**
   * Puts a version without records in service if the table has never had a version; the base of
   * changes to come.
   *
   * @return the manifest of the version in service: the empty one, or what was published before
   */
  public static Manifest publishEmpty(Table table, int partitionCount, WriterOptions options)
      throws IOException {
    String inService = table.currentVersion();
    if (inService != null) {
      return table.manifest(inService);
    }
    try {
      WriterOptions empty = options.toBuilder().minRows(0).build();
      return publish(table, table.begin(), partitionCount, List.of(), empty);
    } catch (PublishConflictException anotherWasFirst) {
      return table.manifest(table.requireCurrentVersion());
    }
  }

  private static @Nullable PartitionFile[] byPartition(
      List<PartitionFile> files, int partitionCount) {
    @Nullable PartitionFile[] byPartition = new @Nullable PartitionFile[partitionCount];
    for (PartitionFile file : files) {
      if (file.partition() >= partitionCount) {
        throw new IllegalArgumentException(
            "no such partition: expected 0 to %d, actual %d: %s"
                .formatted(partitionCount - 1, file.partition(), file.name()));
      }
      if (byPartition[file.partition()] != null) {
        throw new IllegalArgumentException(
            "partition %d was built twice: %s and %s"
                .formatted(file.partition(), byPartition[file.partition()].name(), file.name()));
      }
      byPartition[file.partition()] = file;
    }
    return byPartition;
  }

  /** Numbers the files that have records, without gaps, in the order of their keys. */
  private static @Nullable PartitionFile[] byKey(List<PartitionFile> files) {
    List<PartitionFile> sorted =
        files.stream()
            .filter(file -> file.recordCount() > 0)
            .sorted(Comparator.comparing(PartitionFile::lowerBound))
            .toList();
    @Nullable PartitionFile[] numbered = new @Nullable PartitionFile[Math.max(1, sorted.size())];
    for (int i = 0; i < sorted.size(); i++) {
      PartitionFile file = sorted.get(i);
      if (i > 0) {
        requireInFront(sorted.get(i - 1), file);
      }
      numbered[i] = file.ordered(i, i == 0 ? Bound.FIRST : file.lowerBound());
    }
    return numbered;
  }

  private static void requireInFront(PartitionFile file, PartitionFile next) {
    if (file.partition() >= next.partition() || file.lowerBound().equals(next.lowerBound())) {
      throw new IllegalArgumentException(
          "partitions are not in the order of their keys: %s is partition %d, and %s, which does not begin in front of it, partition %d"
              .formatted(file.name(), file.partition(), next.name(), next.partition()));
    }
  }

  private static Manifest complete(
      Table table, Build build, @Nullable PartitionFile[] byPartition, WriterOptions options)
      throws IOException {
    boolean replacesChanges = build.asOf() == null;
    if (replacesChanges && (table.wasPublished(build) || table.contains(build.version()))) {
      // It may have been in service, so that its files must stay as they are.
      Manifest manifest = table.manifest(build.version());
      table.publish(build, manifest);
      clear(table, build, manifest.partitions(), name -> true);
      return manifest;
    }
    long rows = 0;
    for (PartitionFile file : byPartition) {
      rows += file == null ? 0 : file.recordCount();
    }
    requireEnoughRows(table, parent(table, build, options), rows, options);
    List<PartitionFile> all = new ArrayList<>();
    for (int partition = 0; partition < byPartition.length; partition++) {
      PartitionFile file = byPartition[partition];
      all.add(file == null ? buildEmpty(table, build, partition, options) : file);
    }
    // Another publisher of the build may be ahead, with empty files of its own in its manifest.
    clear(table, build, all, name -> !EMPTY.matcher(name).matches());
    Manifest manifest =
        new Manifest(
            build.identity(),
            options.schema(),
            options.description(),
            all,
            options.properties(),
            options.sourcePositions(),
            replacesChanges ? table.replacedBy(build) : Changes.NONE,
            options.validity());
    if (!replacesChanges) {
      return table.publishUnderChanges(build, manifest);
    }
    return table.publish(build, manifest) == Published.NOW
        ? manifest
        : table.manifest(build.version());
  }

  /**
   * Checks that a version has as many rows as the options demand.
   *
   * @param parent the version before; null for none
   * @throws TooFewRowsException if it has fewer
   */
  public static void requireEnoughRows(
      Table table, @Nullable Manifest parent, long rows, WriterOptions options)
      throws TooFewRowsException {
    if (rows < options.minRows()) {
      throw new TooFewRowsException(
          Limit.MIN_ROWS,
          "too few rows, so nothing was published: table=%s expected>=%d actual=%d"
              .formatted(table.storage(), options.minRows(), rows));
    }
    if (parent != null && options.maxShrinkage() < 1) {
      long before = Math.max(0, parent.recordCount() - parent.changes().deletes());
      long spare =
          BigDecimal.valueOf(options.maxShrinkage())
              .multiply(BigDecimal.valueOf(before))
              .longValue();
      long least = before - spare;
      if (rows < least) {
        throw new TooFewRowsException(
            Limit.MAX_SHRINKAGE,
            "too few rows, so nothing was published: table=%s the version before, %s, has %s%d: expected>=%d actual=%d"
                .formatted(
                    table.storage(),
                    parent.version(),
                    parent.hasChanges() ? "at least " : "",
                    before,
                    least,
                    rows));
      }
    }
  }

  /** Returns the version whose rows are compared with those of a build; null for none. */
  private static @Nullable Manifest parent(Table table, Build build, WriterOptions options)
      throws IOException {
    if (build.parent() == null || options.maxShrinkage() >= 1) {
      return null;
    }
    try {
      return table.manifest(build.parent());
    } catch (IOException e) {
      throw new IOException(
          "the number of rows cannot be compared with the version before, build without a maximum shrinkage: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Builds the file of a partition without records, under a name that no other publisher of the
   * build uses, as its file has another id.
   */
  public static PartitionFile buildEmpty(
      Table table, Build build, int partition, WriterOptions options) throws IOException {
    String name =
        String.format(Locale.ROOT, "part-%05d-empty-%s.bsdb", partition, UUID.randomUUID());
    try (FrameCompression compression = new FrameCompression(options)) {
      return new PartitionFileBuilder(
              created -> table.storage().create(build.directory() + "/" + created),
              options,
              compression,
              new RecordCompression(options),
              null)
          .build(partition, name, new PartitionRecords());
    }
  }

  /** Returns whether a partition can be built with the memory that builds have. */
  public static boolean fits(PartitionSource source, WriterOptions options) {
    return new ParallelBuild.Lent(source).fits(options);
  }

  /**
   * Builds partitions whose records are read where they lie, in parallel as far as the memory
   * allows. Each file is durable.
   *
   * @param suffix of the names of all files
   * @param temporaryDirectory for the files of perfect hashes under construction
   * @return entries of those that have records, in order
   */
  public static List<PartitionFile> build(
      Table table,
      Build build,
      int partitionCount,
      String suffix,
      Path temporaryDirectory,
      WriterOptions options,
      List<PartitionSource> sources)
      throws IOException {
    return new ParallelBuild(table, build, suffix, temporaryDirectory, options)
        .run(
            sources.stream().<ParallelBuild.Task>map(ParallelBuild.Lent::new).toList(),
            new BuildProgress(BuildListener.NONE, partitionCount));
  }

  /**
   * Deletes the files of writers that ran again after the build was published: those that the
   * manifest does not name. Does nothing if the version is gone.
   */
  public static void clear(Table table, Build build) throws IOException {
    if (table.contains(build.version())) {
      clear(table, build, table.manifest(build.version()).partitions(), name -> true);
    }
  }

  /** Deletes what is no file of the snapshot, among the files with these names. */
  private static void clear(
      Table table, Build build, List<PartitionFile> files, Predicate<String> among)
      throws IOException {
    Set<String> names = files.stream().map(PartitionFile::name).collect(Collectors.toSet());
    for (String name : table.storage().list(build.directory())) {
      if (!names.contains(name) && !name.equals(SnapshotFormat.MANIFEST_FILE) && among.test(name)) {
        table.storage().delete(build.directory() + "/" + name);
      }
    }
  }
}
