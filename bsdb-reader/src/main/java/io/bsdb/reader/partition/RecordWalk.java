package io.bsdb.reader.partition;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.ValueReader;
import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockHeader;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.index.KeyOrder;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.table.PartitionSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A position in the records of a partition, in the order of the file. Used by one thread. */
public final class RecordWalk implements Closeable {
  private final Partition partition;
  private final BlockFile file;
  private final BlockReader reader;
  private final BlockFetch source;
  private final FieldSelection selection;
  private final boolean framed;
  private @Nullable Block block;
  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private ByteBuffer body = bytes;
  private int base;
  private int number = -1;
  private int record;
  private int recordsInBlock;
  private int bodyBase;
  private int bodyLength;
  private int bodyRecords;
  private int recordInBody;

  /**
   * Creates a walk that is before the first record.
   *
   * @param selection of fields that will be read
   */
  public RecordWalk(Partition partition, BlockFetch source, FieldSelection selection) {
    this.partition = partition;
    this.file = partition.blocks();
    this.reader = file.reader();
    this.source = source;
    this.selection = selection;
    this.framed = file.hasFrames();
  }

  /** Moves to the next record; returns false if there is none. */
  public boolean next() throws IOException {
    record++;
    recordInBody++;
    if (record >= recordsInBlock) {
      if (number + 1 >= file.index().blockCount()) {
        return false;
      }
      openBlock(number + 1);
      record = 0;
    }
    openBody();
    return true;
  }

  /** Moves to the record before; returns false if there is none. */
  public boolean previous() throws IOException {
    record--;
    recordInBody--;
    if (record < 0) {
      if (number == 0) {
        return false;
      }
      openBlock(number - 1);
      record = recordsInBlock - 1;
    }
    openBody();
    return true;
  }

  /** Moves to a record by its number in the partition. */
  public void moveTo(int recordNumber) throws IOException {
    openBlock(file.index().block(recordNumber));
    record = recordNumber - file.index().firstRank(number);
    openBody();
  }

  private void openBlock(int block) throws IOException {
    close();
    Block fetched = source.fetch(file, block).readable(file.decoders(), selection);
    this.block = fetched;
    number = block;
    bytes = fetched.bytes();
    base = fetched.base(number);
    recordsInBlock = BlockHeader.recordCount(bytes, base);
    recordInBody = 0;
    bodyRecords = 0;
  }

  /** Opens the body that holds the current record, unless it is open. */
  private void openBody() throws IOException {
    Block fetched = block;
    if (fetched == null || (recordInBody >= 0 && recordInBody < bodyRecords)) {
      return;
    }
    if (framed) {
      int perFrame = BlockHeader.frameRecords(bytes, base);
      long frame = fetched.openFrame(reader, base, record / perFrame);
      bodyBase = (int) (frame >>> 32);
      bodyLength = (int) frame;
      bodyRecords = BlockHeader.frameRecordCount(bytes, base, record);
      recordInBody = record % perFrame;
      body = fetched.body();
    } else {
      bodyBase = base + SnapshotFormat.BLOCK_HEADER_LENGTH;
      bodyLength = BlockHeader.bodyLength(bytes, base);
      bodyRecords = recordsInBlock;
      recordInBody = record;
      body = bytes;
    }
  }

  /** Returns the partition whose records these are. */
  public Partition partition() {
    return partition;
  }

  /** Returns the number of the current record in the partition. */
  public int recordNumber() {
    return file.index().firstRank(number) + record;
  }

  /** Returns the offset of the current record's block in the file. */
  public long blockOffset() {
    return file.offset(number);
  }

  /** Returns a copy of the current key. */
  public byte[] key() throws IOException {
    if (!partition.storesKeys()) {
      throw new UnsupportedOperationException(
          "an approximate snapshot stores no keys: " + file.path());
    }
    long found = find(Block::key);
    return open().copy(found);
  }

  /** Compares the current key with another, by their unsigned bytes. */
  public int compareKey(byte[] other) throws IOException {
    long key = reader.key(body, place());
    return KeyOrder.compare(body, (int) (key >>> 32), (int) key, other);
  }

  /**
   * Hands out the current record: where it lies, if it stays there as long as the partition is
   * open; else a copy.
   *
   * @param key a copy of its key
   * @return its length
   */
  public int read(PartitionSource.Target target, byte[] key, long high, long low)
      throws IOException {
    if (!file.staysInMemory()) {
      byte[] value = value();
      target.copy(key, value, high, low);
      return key.length + value.length;
    }
    long place = place();
    long found = reader.key(body, place);
    int valueLength = (int) reader.value(body, place);
    target.lend(body, (int) (found >>> 32), (int) found, valueLength, high, low);
    return key.length + valueLength;
  }

  /** Returns a copy of the current value. */
  public byte[] value() throws IOException {
    long found = find(Block::value);
    return open().copy(found);
  }

  /** Lends the current value. */
  public <T> @Nullable T value(ValueReader<T> lent) throws IOException {
    long found = find(Block::value);
    return open().lend(found, 0, lent);
  }

  private Block open() {
    return Objects.requireNonNull(block, "the cursor is at a record");
  }

  /** Finds a part of a record. */
  private interface Part {
    long find(Block block, BlockReader reader, long record) throws IOException;
  }

  private long place() throws IOException {
    return reader.record(body, bodyBase, bodyLength, bodyRecords, recordInBody);
  }

  private long find(Part part) throws IOException {
    Block fetched = open();
    long place = place();
    try {
      return part.find(fetched, reader, place);
    } catch (CorruptSnapshotException | IndexOutOfBoundsException e) {
      long rank = BlockHeader.firstRank(bytes, base) + (long) record;
      throw reader.undecodable(file.index().offset(number), rank, e);
    }
  }

  @Override
  public void close() {
    Block fetched = block;
    if (fetched != null) {
      block = null;
      fetched.release();
    }
  }
}
