package io.bsdb.flink;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.options.Verification;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.reload.Publish;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * The options of a table with {@code 'connector' = 'bsdb'}.
 *
 * <p>A new option also goes to {@link #READER} or {@link #WRITER}, which name options of the
 * library, or else to {@link SnapshotTableFactory#optionalOptions}; and to {@link
 * SnapshotTableFactory#forwardOptions} if a restored plan may override it. {@code BsdbOptionsTest}
 * fails until each is decided, and leaves the table for {@code docs/flink.md} in {@code
 * target/options.md}.
 */
public final class BsdbOptions {
  private static final WriterOptions DEFAULTS = WriterOptions.defaults();

  public static final ConfigOption<String> PATH =
      ConfigOptions.key("path")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "The table's directory: a local path, or a URI of one of Flink's file systems. The same on the client, on the JobManager, which hands out the partitions to queries, and on all task managers.");

  public static final ConfigOption<Duration> LOOKUP_REFRESH_INTERVAL =
      ConfigOptions.key("lookup.refresh-interval")
          .durationType()
          .defaultValue(TableReader.REFRESH_INTERVAL)
          .withDescription(
              "How often each task manager looks for a new version, which it opens in the background. 0 keeps the version that is in service when a task starts; one that restarts opens what is in service then. 'snapshot.version' stays with one version for good.");

  public static final ConfigOption<AsyncLookup> LOOKUP_ASYNC =
      ConfigOptions.key("lookup.async")
          .enumType(AsyncLookup.class)
          .defaultValue(AsyncLookup.FALSE)
          .withDescription(
              "Whether each task has many lookups in flight at once. Only if 'lookup.access' is 'direct' or 'io_uring': lookups in memory have nothing to wait for and stay synchronous. 'auto': the same, if 'lookup.block-cache-size' is less than the size of the table when the query is planned; not for COMPILE PLAN.");

  public static final ConfigOption<Access> LOOKUP_ACCESS =
      ConfigOptions.key("lookup.access")
          .enumType(Access.class)
          .defaultValue(Access.MAPPED)
          .withDescription(
              "How blocks are read: 'mapped', 'resident' (copied into memory), 'direct' (past the page cache) or 'io_uring' (the same, many at a time; without 'lookup.async' it reads as 'direct' does). With 'lookup.async' = 'true' the default is 'io_uring': lookups in mapped or resident memory never overlap.");

  public static final ConfigOption<Verification> LOOKUP_VERIFICATION =
      ConfigOptions.key("lookup.verification")
          .enumType(Verification.class)
          .defaultValue(Verification.METADATA)
          .withDescription(
              "What is verified when a version is opened: 'metadata', or 'full' for every byte. Blocks are verified when they are read, whatever is chosen.");

  public static final ConfigOption<WarmUp> LOOKUP_WARM_UP =
      ConfigOptions.key("lookup.warm-up")
          .enumType(WarmUp.class)
          .defaultValue(WarmUp.REFRESH)
          .withDescription(
              "When a version is brought into memory and verified as a whole, before it is looked up in: 'refresh' for a new version, in the background, before it takes the place of the one in use; 'always' for the first one too, which delays the start of a job; 'never' leaves it to lookups, block by block. Only with access 'resident', or 'mapped' for tables up to half the size of memory.");

  public static final ConfigOption<SignatureUse> LOOKUP_SIGNATURES =
      ConfigOptions.key("lookup.signatures")
          .enumType(SignatureUse.class)
          .defaultValue(SignatureUse.AUTO)
          .withDescription(
              "Whether signatures are compared before records are looked for: 'auto' where that saves a read from disk or a decompression; 'always' also in mapped and resident memory, which pays off if more than about a quarter of the keys looked up are absent.");

  public static final ConfigOption<MemorySize> LOOKUP_BLOCK_CACHE_SIZE =
      ConfigOptions.key("lookup.block-cache-size")
          .memoryType()
          .defaultValue(MemorySize.ZERO)
          .withDescription(
              "Memory for blocks that were read or decompressed, once per task manager. Useful for compressed layouts and for access 'direct'.");

  public static final ConfigOption<String> LOOKUP_LOCAL_DIR =
      ConfigOptions.key("lookup.local-dir")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Local directory of the task managers for copies of the table, which are read there. Without it, tables with a local path are read in place, and others are copied to one of 'io.tmp.dirs'. Copies are verified, and used again after a restart. Before a version is copied, all but it and those in use are deleted.");

  public static final ConfigOption<MemorySize> LOOKUP_MAX_LOCAL_SIZE =
      ConfigOptions.key("lookup.max-local-size")
          .memoryType()
          .defaultValue(MemorySize.MAX_VALUE)
          .withDescription(
              "Maximum size of the copies of the table per local directory, the versions in use and the successor of one together. A version that does not fit is refused before it is copied.");

  public static final ConfigOption<Integer> LOOKUP_MAX_ROWS =
      ConfigOptions.key("lookup.max-rows")
          .intType()
          .defaultValue(10_000)
          .withDescription(
              "Maximum number of rows that one lookup by leading key columns may find; the job fails if there are more. They are in memory together.");

  public static final ConfigOption<Duration> LOOKUP_WAIT_FOR_SOURCE_TIME =
      ConfigOptions.key("lookup.wait-for-source-time")
          .durationType()
          .defaultValue(Duration.ZERO)
          .withDescription(
              "How long a lookup by time in a table with a history waits at most for a version that is complete up to its time, by the watermark of the stream that writes the table; then it is answered by the version in use. Such lookups are asynchronous. Less than 'table.exec.async-lookup.timeout'. 0: none waits.");

  public static final ConfigOption<BeforeHorizon> LOOKUP_BEFORE_HORIZON =
      ConfigOptions.key("lookup.before-horizon")
          .enumType(BeforeHorizon.class)
          .defaultValue(BeforeHorizon.ANSWER)
          .withDescription(
              "What happens to a lookup by time in a table with a history if the time is before the horizon, so that rows may have been dropped that were valid then: 'answer' by what is left, or 'fail'.");

  public static final ConfigOption<Boolean> SCAN_FOLLOW =
      ConfigOptions.key("scan.follow")
          .booleanType()
          .defaultValue(false)
          .withDescription(
              "Whether a query reads the version in service and then, without end, what changes from it to each version that follows, as a changelog. In streaming jobs only. Versions are looked for every `lookup.refresh-interval`. For the hint of one query.");

  public static final ConfigOption<String> SNAPSHOT_VERSION =
      ConfigOptions.key("snapshot.version")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Read this version, whichever is in service; by its full name, such as '0000000042-0b5e77d0'. Declare a table per version: Flink mixes up uses of one table that differ in OPTIONS hints only (FLINK-40678).");

  /** Parallelism of the writers. */
  public static final ConfigOption<Integer> SINK_PARALLELISM = FactoryUtil.SINK_PARALLELISM;

  public static final ConfigOption<Integer> SINK_PARTITIONS =
      ConfigOptions.key("sink.partitions")
          .intType()
          .defaultValue(64)
          .withDescription(
              "Number of partition files, which limits how many writers work at once. A partition must be smaller than 2 GiB before compression. DISTRIBUTED INTO n BUCKETS means the same.");

  public static final ConfigOption<String> SINK_STREAM =
      ConfigOptions.key("sink.stream")
          .stringType()
          .defaultValue("default")
          .withDescription(
              "Name of the stream that a streaming INSERT INTO writes. The table records under it how far the stream has been applied, so that nothing is lost or applied twice when the job is restored. Use a different name for each job that writes the same table, and for a job that is started again without its state.");

  public static final ConfigOption<Compaction> SINK_COMPACTION =
      ConfigOptions.key("sink.compaction")
          .enumType(Compaction.class)
          .defaultValue(Compaction.AUTO)
          .withDescription(
              "Whether a streaming INSERT INTO folds the changes into the partition files: 'auto' when many keys have changed or the changes take much space, in a thread of the task that publishes; 'off' leaves that to CALL compact, which object storage refuses while a stream is recorded.");

  public static final ConfigOption<String> SINK_LAYOUT =
      ConfigOptions.key("sink.layout")
          .stringType()
          .defaultValue(DEFAULTS.layout().label())
          .withDescription(
              Stream.of(Layout.values())
                  .map(layout -> "'%s' (%s)".formatted(layout.label(), layout.summary()))
                  .collect(Collectors.joining(", ", "How records are laid into blocks: ", ".")));

  public static final ConfigOption<RecordOrder> SINK_ORDER =
      ConfigOptions.key("sink.order")
          .enumType(RecordOrder.class)
          .defaultValue(DEFAULTS.order())
          .withDescription(
              "The order of the records: 'hash' for lookups of single keys; 'key' also for floors, longest prefixes, lookups by leading key columns and queries of key ranges. Also set 'key' to look up by leading key columns in a table that another program built.");

  public static final ConfigOption<String> HISTORY_RETENTION =
      ConfigOptions.key("history.retention")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Makes a table with a history, in key order: its last key column is the time from which a row is valid, and what ends is marked. The value is how long a row is kept after a later one has taken its place: '30 d', or 'forever'.");

  public static final ConfigOption<List<String>> SINK_IP_COLUMNS =
      ConfigOptions.key("sink.ip-columns")
          .stringType()
          .asList()
          .noDefaultValue()
          .withDescription(
              "Names of columns of IP addresses, as in 'first;last': BINARY(16), where an IPv4 address a.b.c.d is ::ffff:a.b.c.d, or BIGINT for IPv4 addresses as numbers. In SQL they stay bytes and numbers; the command line, the service and JSON show and take addresses.");

  public static final ConfigOption<KeyStorage> SINK_KEYS =
      ConfigOptions.key("sink.keys")
          .enumType(KeyStorage.class)
          .defaultValue(DEFAULTS.keyStorage())
          .withDescription(
              "Whether records hold their keys. 'omitted' saves their space, but then an absent key gets some other row with probability 2^-'sink.signature-bits', and the table cannot be scanned.");

  public static final ConfigOption<PerfectHashConstruction> SINK_PERFECT_HASH =
      ConfigOptions.key("sink.perfect-hash")
          .enumType(PerfectHashConstruction.class)
          .defaultValue(DEFAULTS.perfectHash())
          .withDescription(
              "Which perfect hash: 'pilot' (fast), 'pilot-dense' (a tenth smaller, takes half as long again to build), or 'sux4j' (the smallest and slow; needs the jars of Sux4J beside the connector).");

  public static final ConfigOption<Integer> SINK_SIGNATURE_BITS =
      ConfigOptions.key("sink.signature-bits")
          .intType()
          .defaultValue(DEFAULTS.signatureBits())
          .withDescription(
              "Bits per record that show most absent keys to be absent without reading a block; 0 to 32.");

  public static final ConfigOption<MemorySize> SINK_BLOCK_SIZE =
      ConfigOptions.key("sink.block-size")
          .memoryType()
          .defaultValue(new MemorySize(DEFAULTS.blockSize()))
          .withDescription("Unit of reading; 512 bytes to 64 KiB.");

  public static final ConfigOption<MemorySize> SINK_FRAME_SIZE =
      ConfigOptions.key("sink.frame-size")
          .memoryType()
          .defaultValue(new MemorySize(DEFAULTS.frameSize()))
          .withDescription("Unit of compression, before compression; 128 bytes to 64 KiB.");

  public static final ConfigOption<Integer> SINK_ZSTD_LEVEL =
      ConfigOptions.key("sink.zstd-level")
          .intType()
          .defaultValue(DEFAULTS.zstdLevel())
          .withDescription("Compression level of the compressed layouts; 1 to 19.");

  public static final ConfigOption<MemorySize> SINK_MEMORY =
      ConfigOptions.key("sink.memory")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(256))
          .withDescription(
              "Memory that each writer task aims to use, heap and page cache together, beside Flink's managed memory; at least 64 mb. The writers of a task manager together keep to half of its heap, whatever this is.");

  public static final ConfigOption<Duplicates> SINK_DUPLICATES =
      ConfigOptions.key("sink.duplicates")
          .enumType(Duplicates.class)
          .defaultValue(DEFAULTS.duplicates())
          .withDescription(
              "What happens to rows with the same primary key: 'fail' fails the job and names the key; 'first' and 'last' keep one, in the order in which rows reach the writer.");

  public static final ConfigOption<Long> SINK_MIN_ROWS =
      ConfigOptions.key("sink.min-rows")
          .longType()
          .defaultValue(DEFAULTS.minRows())
          .withDescription(
              "Minimum number of rows that may be published; with fewer the job fails, and the version in service stays. 0 allows an empty table.");

  public static final ConfigOption<Double> SINK_MAX_SHRINKAGE =
      ConfigOptions.key("sink.max-shrinkage")
          .doubleType()
          .defaultValue(DEFAULTS.maxShrinkage())
          .withDescription(
              "Largest part of the rows of the version before that may be missing, such as 0.1; with fewer rows the job fails, and the version in service stays. 1 sets no limit.");

  public static final ConfigOption<Integer> SINK_RETAIN_VERSIONS =
      ConfigOptions.key("sink.retain-versions")
          .intType()
          .defaultValue(3)
          .withDescription(
              "How many versions stay after a new one is published, the new one among them.");

  public static final ConfigOption<Duration> SINK_STAGING_RETENTION =
      ConfigOptions.key("sink.staging-retention")
          .durationType()
          .defaultValue(Duration.ofDays(1))
          .withDescription(
              "The next build deletes what failed builds left behind, in the table and in io.tmp.dirs of the task managers that it runs on, once nothing has changed in it for so long. Longer than any build takes.");

  public static final ConfigOption<Map<String, String>> SINK_SOURCE_POSITIONS =
      ConfigOptions.key("sink.source-positions")
          .mapType()
          .defaultValue(Map.of())
          .withDescription(
              "How far the sources of the build are read, kept in the version's manifest: 'orders-0:4711,orders-1:4702'. For the hint of one INSERT OVERWRITE.");

  public static final ConfigOption<String> SINK_KEEP_CHANGES_AFTER =
      ConfigOptions.key("sink.keep-changes-after")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A version that the input of an INSERT OVERWRITE is at least as new as: changes that were published after it, by a stream for example, are kept and apply to what is built. Not needed if the input is read from the table itself. For the hint of one statement.");

  public static final ConfigOption<Publish> SINK_PUBLISH =
      ConfigOptions.key("sink.publish")
          .enumType(Publish.class)
          .defaultValue(Publish.ALL)
          .withDescription(
              "What an INSERT OVERWRITE publishes: 'all' rows; 'changes', the rows that differ from those in service, which are compared; 'auto', these, or all rows if more than a quarter differ or the table was built otherwise.");

  public static final ConfigOption<Boolean> SINK_PARTIAL_UPDATE =
      ConfigOptions.key("sink.partial-update")
          .booleanType()
          .defaultValue(false)
          .withDescription(
              "Whether an INSERT INTO that names some columns keeps what a row has in the others: it reads the row. In batch jobs only. Otherwise such a statement is refused, as it would set the others to NULL.");

  public static final ConfigOption<Map<String, String>> SINK_PROPERTIES =
      ConfigOptions.key("sink.properties")
          .mapType()
          .defaultValue(Map.of())
          .withDescription("Properties of a version, kept in its manifest: 'name:value,…'.");

  /** Options of the reader: {@link io.bsdb.reader.options.ReaderOptions}, after {@code lookup.}. */
  static final List<ConfigOption<?>> READER =
      List.of(
          LOOKUP_ACCESS,
          LOOKUP_VERIFICATION,
          LOOKUP_WARM_UP,
          LOOKUP_SIGNATURES,
          LOOKUP_BLOCK_CACHE_SIZE);

  /** Options of the writer: {@link WriterOptions}, after {@code sink.}. */
  static final List<ConfigOption<?>> WRITER =
      List.of(
          SINK_LAYOUT,
          SINK_ORDER,
          SINK_KEYS,
          SINK_PERFECT_HASH,
          SINK_SIGNATURE_BITS,
          SINK_BLOCK_SIZE,
          SINK_FRAME_SIZE,
          SINK_ZSTD_LEVEL,
          SINK_MEMORY,
          SINK_DUPLICATES,
          SINK_MIN_ROWS,
          SINK_MAX_SHRINKAGE);

  private BsdbOptions() {}
}
