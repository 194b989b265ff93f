package io.bsdb.flink.sink.reload;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.build.PublicationOperator;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.flink.sink.shuffle.Exchanges;
import io.bsdb.flink.sink.shuffle.PartitionShuffle;
import io.bsdb.reload.Publish;
import io.bsdb.reload.TableReload;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import org.apache.flink.api.common.SupportsConcurrentExecutionAttempts;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessageTypeInfo;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares a bounded stream of encoded records, which are all rows of a table, with the version in
 * service, and publishes what differs, once.
 *
 * <p>The version is chosen here, on the client, so that all attempts of all tasks compare with the
 * same one. Records are shuffled by its partitions, so that each writer has all records of some of
 * them, and knows which rows are missing. Each writes segments. One task adds up what all found,
 * and hands it to the committer as one committable.
 *
 * <p>If a base is to be built where much differs, a sample of the rows is compared first. Flink
 * keeps the rows meanwhile, as it does anyway in batch mode: writers compare them or build them.
 *
 * @param sample null if what differs is published in any case
 */
public record ReloadSink(
    DeclaredTable table,
    BuildSettings settings,
    Build build,
    ComparedVersion version,
    @Nullable Sample sample)
    implements Sink<Change>,
        SupportsPreWriteTopology<Change>,
        SupportsPreCommitTopology<Reload, Reload>,
        SupportsCommitter<Reload>,
        SupportsConcurrentExecutionAttempts {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadSink.class);
  private static final TypeInformation<CommittableMessage<Reload>> RELOADS =
      CommittableMessageTypeInfo.of(Reload.Serializer::new);

  /** As many as Flink's adaptive batch scheduler takes at most, by default. */
  private static final int MAX_WRITERS = 128;

  /**
   * Begins a reload of a table that has a version; null if all rows are to be built without
   * comparing them.
   *
   * @param publish changes, or what is less
   * @param asOf a version that the input is at least as new as: what changed after it is kept; null
   *     if nothing may change
   * @throws IllegalArgumentException if changes are to be published, and the version in service was
   *     built otherwise
   */
  public static @Nullable ReloadSink begin(
      Publish publish, @Nullable String asOf, DeclaredTable declared, BuildSettings settings)
      throws IOException {
    if (publish == Publish.ALL) {
      return null;
    }
    Table table = declared.table();
    Build build = asOf == null ? table.begin() : table.beginAsOf(asOf);
    Manifest inService = table.manifest(table.requireCurrentVersion());
    if (!inService.version().equals(build.parent())) {
      return begin(publish, asOf, declared, settings); // published in between
    }
    String obstacle = TableReload.obstacle(inService, settings.writerOptions(declared));
    if (publish == Publish.CHANGES) {
      TableReload.require(obstacle, table);
      return new ReloadSink(declared, settings, build, ComparedVersion.of(inService), null);
    }
    if (obstacle == null
        && inService.order() == RecordOrder.HASH
        && inService.partitions().size() != settings.partitions()) {
      obstacle =
          "partitions in service=%d input=%d"
              .formatted(inService.partitions().size(), settings.partitions());
    }
    if (obstacle != null) {
      LOG.info(
          "Table {}: all rows are built, because the input cannot be compared with version {}: {}.",
          declared.name(),
          inService.version(),
          obstacle);
      return null;
    }
    if (asOf == null) {
      table.replacedBy(build); // refuses what cannot be published at the end
    }
    return new ReloadSink(
        declared,
        settings,
        build,
        ComparedVersion.of(inService),
        Sample.of(inService, TableReload.maxDiffering(inService)));
  }

  /**
   * Returns how many writers compare. It must be set: if Flink chooses it while the job runs, a
   * writer does not know which partitions it gets.
   *
   * @param parallelism of the input; not positive if Flink chooses that
   */
  public int writers(int parallelism) {
    int partitions = version.partitioning().count();
    return Math.min(partitions, parallelism > 0 ? parallelism : MAX_WRITERS);
  }

  @Override
  public DataStream<Change> addPreWriteTopology(DataStream<Change> records) {
    DataStream<Change> shuffled = PartitionShuffle.of(records, version.partitioning());
    if (sample == null) {
      return shuffled;
    }
    DataStream<Change> sampled =
        Exchanges.besides(records, records.filter(sample).name("sample rows"));
    DataStream<Long> differing =
        PartitionShuffle.of(sampled, version.partitioning())
            .transform(
                "compare sample",
                Types.LONG,
                new SampleOperator(table, settings, version, build.asOf(), sample));
    return Exchanges.kept(differing.broadcast())
        .connect(Exchanges.kept(shuffled))
        .transform("decide", Change.TYPE, new DecisionOperator(sample.maxDiffering()));
  }

  @Override
  public CommittingSinkWriter<Change, Reload> createWriter(WriterInitContext context) {
    return new ReloadSinkWriter(table, settings, build, version, context);
  }

  @Override
  public SimpleVersionedSerializer<Reload> getWriteResultSerializer() {
    return new Reload.Serializer();
  }

  @Override
  public DataStream<CommittableMessage<Reload>> addPreCommitTopology(
      DataStream<CommittableMessage<Reload>> shares) {
    // Without the last global() the committer may miss the summary that goes before a committable.
    return shares
        .global()
        .transform("add up differences", RELOADS, new PublicationOperator<>(Reload::sum))
        .setParallelism(1)
        .setMaxParallelism(1)
        .global();
  }

  @Override
  public Committer<Reload> createCommitter(CommitterInitContext context) {
    return new ReloadCommitter(table, settings, build, version, context.metricGroup());
  }

  @Override
  public SimpleVersionedSerializer<Reload> getCommittableSerializer() {
    return new Reload.Serializer();
  }
}
