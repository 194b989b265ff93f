package io.bsdb.reader;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockReader;
import io.bsdb.reader.io.FileMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A position in the records of a partition, in rank order, through the file's memory. Used by one
 * thread.
 */
final class PartitionWalk implements Closeable {
  private final Partition partition;
  private final @Nullable FrameDecoder decoder;
  private int block = -1;
  private int record;
  private int recordsInBlock;
  private ByteBuffer body = ByteBuffer.allocate(0);
  private int bodyBase;
  private int bodyLength;
  private int bodyRecords;
  private int recordInBody;

  PartitionWalk(Partition partition) {
    this.partition = partition;
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
      record = 0;
      bodyRecords = 0;
    }
    if (recordInBody >= bodyRecords) {
      openBody();
    }
    return true;
  }

  private void openBody() throws IOException {
    ByteBuffer chunk = partition.inMemory(block);
    int base = FileMemory.index(partition.offset(block));
    recordsInBlock = BlockReader.recordCount(chunk, base);
    recordInBody = 0;
    if (decoder == null) {
      body = chunk;
      bodyBase = base + SnapshotFormat.BLOCK_HEADER_LENGTH;
      bodyLength = BlockReader.bodyLength(chunk, base);
      bodyRecords = recordsInBlock;
    } else {
      bodyLength = partition.decode(decoder, chunk, base, record);
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
    return copy(partition.blocks().key(body, bodyBase, bodyLength, bodyRecords, recordInBody));
  }

  byte[] value() throws IOException {
    return copy(partition.blocks().value(body, bodyBase, bodyLength, bodyRecords, recordInBody));
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
