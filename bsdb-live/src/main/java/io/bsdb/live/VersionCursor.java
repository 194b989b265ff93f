package io.bsdb.live;

import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.follow.TableReader.Lease;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Walks over the records of a version, and holds it. */
record VersionCursor(Lease version, RecordCursor records) implements RecordCursor {
  /** A cursor over nothing. */
  static final RecordCursor EMPTY =
      new RecordCursor() {
        @Override
        public boolean next() {
          return false;
        }

        @Override
        public byte[] key() {
          throw new IllegalStateException("the cursor is on no record");
        }

        @Override
        public byte[] value() {
          throw new IllegalStateException("the cursor is on no record");
        }

        @Override
        public void close() {}
      };

  static RecordCursor over(Lease version) throws IOException {
    try {
      return new VersionCursor(version, version.reader().scan());
    } catch (IOException | RuntimeException | Error e) {
      try {
        version.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  @Override
  public boolean next() throws IOException {
    return records.next();
  }

  @Override
  public byte[] key() throws IOException {
    return records.key();
  }

  @Override
  public byte[] value() throws IOException {
    return records.value();
  }

  @Override
  public void close() {
    records.close();
    try {
      version.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
