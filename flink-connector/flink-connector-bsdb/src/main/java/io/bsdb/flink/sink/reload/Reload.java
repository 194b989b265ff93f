package io.bsdb.flink.sink.reload;

import io.bsdb.flink.sink.PartitionFileSerializer;
import io.bsdb.flink.sink.stream.SegmentFileSerializer;
import io.bsdb.flink.state.StateSerializer;
import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.jspecify.annotations.Nullable;

/**
 * The files that a reload publishes, or one writer's share of them.
 *
 * @param read rows of the input
 * @param difference from a version; null if all rows are published without comparing them
 * @param changes that make the version hold what the input holds
 * @param base files of partitions; empty if only what differs is published
 */
record Reload(
    long read,
    @Nullable Difference difference,
    List<SegmentFile> changes,
    List<PartitionFile> base) {
  Reload {
    changes = List.copyOf(changes);
    base = List.copyOf(base);
  }

  /** Returns what differs of so many rows. */
  static Reload ofChanges(long read, Difference difference, List<SegmentFile> changes) {
    return new Reload(read, difference, changes, List.of());
  }

  /** Returns so many rows as partition files. */
  static Reload ofBase(long read, List<PartitionFile> base) {
    return new Reload(read, null, List.of(), base);
  }

  /** Returns both shares. */
  Reload plus(Reload other) {
    return new Reload(
        read + other.read,
        sum(difference, other.difference),
        concat(changes, other.changes),
        concat(base, other.base));
  }

  private static @Nullable Difference sum(@Nullable Difference a, @Nullable Difference b) {
    if (a == null && b == null) {
      return null;
    }
    if (a == null || b == null) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "some writers built all rows and others what differs, so nothing is published; the input was probably read again after a failure and gave other rows: run the job again"));
    }
    return a.plus(b);
  }

  private static <T> List<T> concat(List<T> a, List<T> b) {
    return Stream.concat(a.stream(), b.stream()).toList();
  }

  /** Adds up what all writers have. */
  static Reload sum(List<Reload> shares) {
    return shares.stream().reduce(Reload::plus).orElseThrow();
  }

  /** Carries a reload from the writers to the committer. */
  static final class Serializer extends StateSerializer<Reload> {
    private static final SegmentFileSerializer CHANGES = new SegmentFileSerializer();
    private static final PartitionFileSerializer FILES = new PartitionFileSerializer();

    Serializer() {
      super("reload");
    }

    @Override
    public void write(Reload reload, DataOutputView target) throws IOException {
      Difference difference = reload.difference();
      target.writeLong(reload.read());
      target.writeBoolean(difference != null);
      if (difference != null) {
        target.writeUTF(difference.version());
        target.writeLong(difference.same());
        target.writeLong(difference.added());
        target.writeLong(difference.changed());
        target.writeLong(difference.deleted());
        target.writeLong(difference.bytes());
      }
      CHANGES.writeAll(reload.changes(), target);
      FILES.writeAll(reload.base(), target);
    }

    @Override
    public Reload read(DataInputView source) throws IOException {
      return new Reload(
          source.readLong(),
          source.readBoolean()
              ? new Difference(
                  source.readUTF(),
                  source.readLong(),
                  source.readLong(),
                  source.readLong(),
                  source.readLong(),
                  source.readLong())
              : null,
          CHANGES.readAll(source),
          FILES.readAll(source));
    }
  }
}
