package io.bsdb.flink.sink.build;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.flink.sink.shuffle.KeyShuffle;
import io.bsdb.flink.sink.shuffle.PartitionShuffle;
import io.bsdb.table.Build;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import org.apache.flink.api.common.SupportsConcurrentExecutionAttempts;
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

/**
 * Builds a snapshot from a bounded stream of encoded records, key and value, and publishes it once.
 *
 * <p>Records are shuffled by the partition of their key. In key order partitions are chosen first,
 * from a sample of all keys. Each writer builds the files of whole partitions, under names that no
 * other attempt uses. One task collects what all writers built and hands it to the committer as one
 * committable. Flink starts both when all writers have ended, so nothing is published of a build
 * that failed, and writers are not run again because a publication failed.
 *
 * <p>The build gets its id and version here, on the client, so that all attempts of all tasks share
 * it: a publication that is repeated, after a failure that hid its success, finds its own version
 * in service.
 */
public record SnapshotSink(DeclaredTable table, BuildSettings settings, Build build)
    implements Sink<Change>,
        SupportsPreWriteTopology<Change>,
        SupportsPreCommitTopology<BuiltFile, Publication>,
        SupportsCommitter<Publication>,
        SupportsConcurrentExecutionAttempts {
  /** Begins a build: looks which version the table has, and writes nothing. */
  public static SnapshotSink begin(DeclaredTable table, BuildSettings settings) throws IOException {
    return new SnapshotSink(table, settings, table.table().begin());
  }

  /**
   * Begins a build of what is at least as new as a version: changes published after that are kept.
   */
  public static SnapshotSink beginAsOf(String version, DeclaredTable table, BuildSettings settings)
      throws IOException {
    return new SnapshotSink(table, settings, table.table().beginAsOf(version));
  }

  @Override
  public DataStream<Change> addPreWriteTopology(DataStream<Change> records) {
    return settings.order() == RecordOrder.KEY
        ? KeyShuffle.of(records, settings.partitions())
        : PartitionShuffle.of(records, settings.partitions());
  }

  @Override
  public CommittingSinkWriter<Change, BuiltFile> createWriter(WriterInitContext context)
      throws IOException {
    return SnapshotSinkWriter.create(table, settings, build, settings.partitions(), context);
  }

  @Override
  public SimpleVersionedSerializer<BuiltFile> getWriteResultSerializer() {
    return new BuiltFile.Serializer();
  }

  @Override
  public DataStream<CommittableMessage<Publication>> addPreCommitTopology(
      DataStream<CommittableMessage<BuiltFile>> built) {
    // Without the last global() the committer may miss the summary that goes before a committable.
    return built
        .global()
        .transform(
            "collect partitions",
            CommittableMessageTypeInfo.of(Publication.Serializer::new),
            new PublicationOperator<>(Publication::new))
        .setParallelism(1)
        .setMaxParallelism(1)
        .global();
  }

  @Override
  public Committer<Publication> createCommitter(CommitterInitContext context) {
    return new SnapshotCommitter(table, settings, build);
  }

  @Override
  public SimpleVersionedSerializer<Publication> getCommittableSerializer() {
    return new Publication.Serializer();
  }
}
