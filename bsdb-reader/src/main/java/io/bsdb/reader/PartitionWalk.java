package io.bsdb.reader;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockReader;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.PageBuffer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A position in the records of a partition, in rank order. Used by one thread. */
final class PartitionWalk implements Closeable {
  private final Partition partition;
  private final @Nullable FrameDecoder decoder;

  /** How blocks come from disk, and whereto; null if they are in memory. */
  private final @Nullable DiskRecords disk;

  private final @Nullable PageBuffer buffer;
  private ByteBuffer chunk = ByteBuffer.allocate(0);
  private int base;
  private int block = -1;
  private int record;
  private int recordsInBlock;
  private ByteBuffer body = ByteBuffer.allocate(0);
  private int bodyBase;
  private int bodyLength;
  private int bodyRecords;
  private int recordInBody;

  PartitionWalk(Partition partition, ReaderMetrics.Counters counters) {
    this.partition = partition;
    this.disk = partition.readsFromDisk() ? new DiskRecords(counters) : null;
    this.buffer = partition.readsFromDisk() ? new PageBuffer() : null;
    this.decoder = partition.hasFrames() ? partition.decoders().take() : null;
  }

  boolean next() throws IOException {
    record++;
    recordInBody++;
    if (record >= recordsInBlock) {
      if (block + 1 >= partition.index().blockCount()) {
        return false;
      }
      block++;
      openBlock();
    }
    if (recordInBody >= bodyRecords) {
      openBody();
    }
    return true;
  }

  private void openBlock() throws IOException {
    if (disk == null || buffer == null) {
      chunk = partition.inMemory(block);
      base = FileMemory.index(partition.offset(block));
    } else {
      base = disk.read(partition, block, buffer);
      chunk = buffer.buffer();
    }
    recordsInBlock = BlockReader.recordCount(chunk, base);
    record = 0;
    bodyRecords = 0;
  }

  private void openBody() throws IOException {
    recordInBody = 0;
    if (decoder == null) {
      body = chunk;
      bodyBase = base + SnapshotFormat.BLOCK_HEADER_LENGTH;
      bodyLength = BlockReader.bodyLength(chunk, base);
      bodyRecords = recordsInBlock;
    } else {
      long frame = partition.blocks().frame(chunk, base, record);
      bodyLength = partition.decode(decoder, chunk, base, frame);
      body = decoder.plain();
      bodyBase = 0;
      bodyRecords = BlockReader.frameRecordCount(chunk, base, record);
    }
  }

  /** The offset of the current record's block in the file. */
  long blockOffset() {
    return partition.offset(block);
  }

  byte[] key() throws IOException {
    if (!partition.storesKeys()) {
      throw new UnsupportedOperationException(
          "an approximate snapshot stores no keys: " + partition.path());
    }
    return copy(partition.blocks().key(body, place()));
  }

  byte[] value() throws IOException {
    return copy(partition.blocks().value(body, place()));
  }

  private long place() throws IOException {
    return partition.blocks().record(body, bodyBase, bodyLength, bodyRecords, recordInBody);
  }

  private byte[] copy(long found) {
    byte[] bytes = new byte[(int) found];
    body.get((int) (found >>> 32), bytes);
    return bytes;
  }

  @Override
  public void close() {
    if (decoder != null) {
      partition.decoders().give(decoder);
    }
  }
}
