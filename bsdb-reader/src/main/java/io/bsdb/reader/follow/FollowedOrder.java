package io.bsdb.reader.follow;

import io.bsdb.format.ValueReader;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.Nearest;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.RecordReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Looks up by order in the version of a table that is in use. */
final class FollowedOrder implements OrderedReader {
  private final TableReader table;
  private final VersionInUse inUse;

  FollowedOrder(TableReader table, VersionInUse inUse) {
    this.table = table;
    this.inUse = inUse;
  }

  @Override
  public <T> @Nullable T find(Nearest nearest, byte[] key, RecordReader<T> reader)
      throws IOException {
    return inUse.ask(version -> version.ordered().find(nearest, key, reader));
  }

  @Override
  public <T> @Nullable T asOf(byte[] prefix, Instant time, RecordReader<T> reader)
      throws IOException {
    return inUse.ask(version -> version.ordered().asOf(prefix, time, reader));
  }

  @Override
  public @Nullable KeyValue lower(byte[] key) throws IOException {
    return inUse.ask(reader -> reader.ordered().lower(key));
  }

  @Override
  public @Nullable KeyValue higher(byte[] key) throws IOException {
    return inUse.ask(reader -> reader.ordered().higher(key));
  }

  @Override
  public @Nullable KeyValue first() throws IOException {
    return inUse.ask(reader -> reader.ordered().first());
  }

  @Override
  public @Nullable KeyValue last() throws IOException {
    return inUse.ask(reader -> reader.ordered().last());
  }

  @Override
  public RecordCursor range(KeyRange range) throws IOException {
    inUse.requireOpen();
    if (table.isEmpty()) {
      return new Cursor(null, null);
    }
    TableReader.Lease lease = table.lease();
    try {
      return new Cursor(lease, lease.reader().ordered().range(range));
    } catch (IOException | RuntimeException | Error e) {
      lease.tryClose();
      throw e;
    }
  }

  /** A cursor that holds its version; both null while the table has no version. */
  private static final class Cursor implements RecordCursor {
    private final TableReader.@Nullable Lease lease;
    private final @Nullable RecordCursor records;

    Cursor(TableReader.@Nullable Lease lease, @Nullable RecordCursor records) {
      this.lease = lease;
      this.records = records;
    }

    private RecordCursor records() {
      if (records == null) {
        throw new IllegalStateException("no current record");
      }
      return records;
    }

    @Override
    public boolean next() throws IOException {
      return records != null && records.next();
    }

    @Override
    public byte[] key() throws IOException {
      return records().key();
    }

    @Override
    public <T> @Nullable T value(ValueReader<T> reader) throws IOException {
      return records().value(reader);
    }

    @Override
    public void close() {
      if (records != null && lease != null) {
        records.close();
        try {
          lease.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
