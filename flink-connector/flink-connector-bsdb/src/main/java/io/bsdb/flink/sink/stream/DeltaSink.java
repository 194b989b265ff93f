package io.bsdb.flink.sink.stream;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.flink.sink.shuffle.PartitionShuffle;
import io.bsdb.table.AsOf;
import io.bsdb.table.Build;
import io.bsdb.table.manifest.SegmentFile;
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
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.jspecify.annotations.Nullable;

/**
 * Applies a stream of encoded changes to a table: publishes one delta per checkpoint, exactly once.
 * A batch job publishes one when its input has ended.
 *
 * <p>Records are shuffled by the partition of their key, so that the changes of a key stay in
 * order. Each writer appends to a segment per checkpoint. One task collects the segments of all
 * writers and hands them to the committer as one delta.
 *
 * @param stream its id; null for a batch job
 * @param hasWatermark whether watermarks are about the times in a history, and are published
 * @param build of a batch job; null for a stream
 * @param read the version from which changed rows were read; null if none were
 */
public record DeltaSink(
    DeclaredTable table,
    BuildSettings settings,
    @Nullable String stream,
    boolean hasWatermark,
    @Nullable Build build,
    @Nullable AsOf read)
    implements Sink<Change>,
        SupportsPreWriteTopology<Change>,
        SupportsPreCommitTopology<SegmentFile, Delta>,
        SupportsCommitter<Delta>,
        SupportsConcurrentExecutionAttempts {
  /**
   * Applies a stream.
   *
   * @param stream its id, which is recorded in the table
   * @param hasWatermark whether watermarks are about the times in a history, and are published
   */
  public static DeltaSink ofStream(
      DeclaredTable table, BuildSettings settings, String stream, boolean hasWatermark) {
    return new DeltaSink(table, settings, stream, hasWatermark, null, null);
  }

  /**
   * Applies all of a bounded input at once.
   *
   * @param build what is published, by which it is found again if the job does it twice
   */
  public static DeltaSink ofBatch(Build build, DeclaredTable table, BuildSettings settings) {
    return new DeltaSink(table, settings, null, false, build, null);
  }

  /**
   * Applies a bounded input that was read from the table itself: refused if a key that it changes
   * has changed since.
   *
   * @param version that was read
   * @param build see {@link #ofBatch}
   */
  public static DeltaSink ofVersion(
      String version, Build build, DeclaredTable table, BuildSettings settings) throws IOException {
    return new DeltaSink(
        table, settings, null, false, build, AsOf.of(table.table().manifest(version)));
  }

  @Override
  public DataStream<Change> addPreWriteTopology(DataStream<Change> records) {
    return PartitionShuffle.of(records, settings.partitions());
  }

  @Override
  public CommittingSinkWriter<Change, SegmentFile> createWriter(WriterInitContext context) {
    return new DeltaSinkWriter(table.table().storage());
  }

  @Override
  public SimpleVersionedSerializer<SegmentFile> getWriteResultSerializer() {
    return new SegmentFileSerializer();
  }

  @Override
  public DataStream<CommittableMessage<Delta>> addPreCommitTopology(
      DataStream<CommittableMessage<SegmentFile>> sealed) {
    SingleOutputStreamOperator<CommittableMessage<Delta>> collected =
        sealed
            .global()
            .transform(
                "collect segments",
                CommittableMessageTypeInfo.of(Delta.Serializer::new),
                new DeltaOperator(stream, hasWatermark))
            .setParallelism(1)
            .setMaxParallelism(1);
    if (stream != null) {
      // Its state must be found again in another plan.
      collected.uid("collect segments of %s for %s".formatted(stream, table.name()));
    }
    // Without this global() the committer may miss the summary that goes before a committable.
    return collected.global();
  }

  @Override
  public Committer<Delta> createCommitter(CommitterInitContext context) throws IOException {
    return DeltaCommitter.open(
        table,
        settings,
        stream,
        build,
        read,
        context.metricGroup(),
        context.getTaskInfo().getIndexOfThisSubtask() == 0);
  }

  @Override
  public SimpleVersionedSerializer<Delta> getCommittableSerializer() {
    return new Delta.Serializer();
  }
}
