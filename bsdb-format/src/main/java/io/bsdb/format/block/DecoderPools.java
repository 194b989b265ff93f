package io.bsdb.format.block;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.symbols.RecordSymbols;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The decoders of a snapshot: partitions that repeat one dictionary, or the same symbol tables,
 * share them. Filled by one thread; shared and closed by any.
 */
public final class DecoderPools implements Closeable {
  private final Map<ByteBuffer, FrameDecoder.Pool> byDictionary = new HashMap<>();
  private final Map<ByteBuffer, SymbolDecoder.Pool> bySymbols = new HashMap<>();

  private int users = 1;

  /** Adds a user, who closes this, too. */
  public synchronized void share() {
    users++;
  }

  /**
   * Returns the pool of a dictionary.
   *
   * @param dictionary may be empty
   * @param file that it is from
   */
  public DecoderPool ofDictionary(byte[] dictionary, String file) throws IOException {
    FrameDecoder.Pool pool = byDictionary.get(ByteBuffer.wrap(dictionary));
    if (pool == null) {
      pool = new FrameDecoder.Pool(dictionary, file);
      byDictionary.put(ByteBuffer.wrap(dictionary), pool);
    }
    return pool;
  }

  /**
   * Returns the pool of symbol tables.
   *
   * @param section with the tables
   * @param file that it is from
   * @param offset of the section in the file
   */
  public SymbolDecoder.Pool ofSymbols(byte[] section, String file, long offset)
      throws CorruptSnapshotException {
    SymbolDecoder.Pool pool = bySymbols.get(ByteBuffer.wrap(section));
    if (pool == null) {
      ByteBuffer bytes = ByteBuffer.wrap(section);
      pool = new SymbolDecoder.Pool(RecordSymbols.decode(bytes, file, offset));
      bySymbols.put(bytes, pool);
    }
    return pool;
  }

  /** Ends one use; the last one closes all decoders. */
  @Override
  public synchronized void close() {
    users--;
    if (users > 0) {
      return;
    }
    byDictionary.values().forEach(DecoderPool::close);
    bySymbols.values().forEach(DecoderPool::close);
  }
}
