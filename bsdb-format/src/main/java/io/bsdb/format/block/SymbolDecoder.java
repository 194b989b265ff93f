package io.bsdb.format.block;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.format.symbols.ValueDecoder;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Decodes one key or value at a time that is encoded with symbol tables. */
public final class SymbolDecoder extends BlockDecoder {
  /** Length beyond which the JVM's bulk copy is used, which costs more to begin with. */
  private static final int MAX_COPIED_BY_WORDS = 256;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ValueDecoder decoder;

  /** The encoded key or value: arrays are read faster than buffers. */
  private byte[] encoded = new byte[256];

  /** The decoder's array, wrapped. */
  private ByteBuffer plain;

  /** Whether what was asked for is stored as it is, so that {@link #body} is the block. */
  private boolean verbatim;

  private FieldSelection wanted = FieldSelection.ALL;

  private SymbolDecoder(Pool pool, int slot, RecordSymbols symbols) {
    super(pool, slot);
    decoder = new ValueDecoder(symbols);
    plain = ByteBuffer.wrap(decoder.plain()).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  void begin(Block block, FieldSelection selection) {
    super.begin(block, selection);
    if (wanted != selection) {
      wanted = selection;
    }
  }

  @Override
  boolean isLarge() {
    return encoded.length > MAX_KEPT || decoder.plain().length > MAX_KEPT;
  }

  @Override
  public ByteBuffer body() {
    return verbatim ? bytes() : plain();
  }

  @Override
  public long value(BlockReader reader, long record, byte[] key) throws CorruptSnapshotException {
    ByteBuffer bytes = bytes();
    if (!decoder.encodesKeys() || !reader.storesKeys()) {
      long value = reader.value(bytes, record, key);
      return value == BlockReader.ABSENT ? value : decodeValue(reader, bytes, value);
    }
    long stored = reader.key(bytes, record);
    long value = BlockReader.after(stored, record);
    int prefix = prefix(bytes, value);
    int keyLength = (int) stored;
    int loaded = prefix < 0 ? keyLength + (int) value : keyLength;
    load(bytes, (int) (stored >>> 32), loaded);
    if (!decoder.matches(encoded, 0, keyLength, key)) {
      return BlockReader.ABSENT;
    }
    return prefix < 0 ? decodeValue(reader, keyLength, loaded) : verbatim(value, prefix);
  }

  @Override
  public long value(BlockReader reader, long record) throws CorruptSnapshotException {
    return decodeValue(reader, bytes(), reader.value(bytes(), record));
  }

  @Override
  public long key(BlockReader reader, long record) throws CorruptSnapshotException {
    long stored = reader.key(bytes(), record);
    if (!decoder.encodesKeys()) {
      verbatim = true;
      return stored;
    }
    int length = decodeKey(reader, bytes(), stored);
    verbatim = false;
    return length;
  }

  private int decodeKey(BlockReader reader, ByteBuffer bytes, long stored)
      throws CorruptSnapshotException {
    int length = (int) stored;
    load(bytes, (int) (stored >>> 32), length);
    return decoder.key(encoded, 0, length, reader.maxKeyLength());
  }

  private long decodeValue(BlockReader reader, ByteBuffer bytes, long stored)
      throws CorruptSnapshotException {
    int prefix = prefix(bytes, stored);
    if (prefix >= 0) {
      return verbatim(stored, prefix);
    }
    int length = (int) stored;
    load(bytes, (int) (stored >>> 32), length);
    return decodeValue(reader, 0, length);
  }

  private long decodeValue(BlockReader reader, int start, int end) throws CorruptSnapshotException {
    int decoded = decoder.value(encoded, start, end, reader.maxRecordLength(), wanted);
    verbatim = false;
    return decoded;
  }

  private long verbatim(long stored, int prefix) {
    verbatim = true;
    return ((stored >>> 32) + prefix) << 32 | ((int) stored - prefix);
  }

  /** Returns {@link ValueDecoder#verbatim} of a value. */
  private int prefix(ByteBuffer bytes, long stored) {
    int start = (int) (stored >>> 32);
    int length = (int) stored;
    int first = length == 0 ? 0 : bytes.get(start) & 0xFF;
    first |= length < 2 ? 0 : (bytes.get(start + 1) & 0xFF) << 8;
    return decoder.verbatim(first, length);
  }

  /** Copies an encoded key or value, or both. */
  private void load(ByteBuffer bytes, int start, int length) {
    if (encoded.length < length) {
      encoded = new byte[Math.max(length, Math.min(2 * encoded.length, MAX_KEPT))];
    }
    if (length < Long.BYTES || length > MAX_COPIED_BY_WORDS) {
      bytes.get(start, encoded, 0, length);
      return;
    }
    for (int i = 0; i < length - Long.BYTES; i += Long.BYTES) {
      LONGS.set(encoded, i, bytes.getLong(start + i));
    }
    int last = length - Long.BYTES;
    LONGS.set(encoded, last, bytes.getLong(start + last));
  }

  private ByteBuffer plain() {
    if (plain.array() != decoder.plain()) {
      plain = ByteBuffer.wrap(decoder.plain()).order(ByteOrder.LITTLE_ENDIAN);
    }
    return plain;
  }

  /** Decoders with the same tables. */
  public static final class Pool extends DecoderPool {
    private final RecordSymbols symbols;

    Pool(RecordSymbols symbols) {
      this.symbols = symbols;
    }

    /** Returns the tables. */
    public RecordSymbols symbols() {
      return symbols;
    }

    @Override
    BlockDecoder create(int slot) {
      return new SymbolDecoder(this, slot, symbols);
    }
  }
}
