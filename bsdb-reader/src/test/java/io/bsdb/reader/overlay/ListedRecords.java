package io.bsdb.reader.overlay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** Records without segments: of keys with hashes that a test chooses. */
class ListedRecords extends ChangeRecords {
  private record Change(ByteBuffer key, boolean isDelete) {}

  private final List<List<Change>> segments = new ArrayList<>();
  private final ToLongFunction<byte[]> hash;

  /** How many keys have been hashed. */
  int hashed;

  /**
   * @param hash the high word of the hash of a key
   */
  ListedRecords(ToLongFunction<byte[]> hash) {
    super(List.of());
    this.hash = hash;
  }

  /** Adds an empty segment. */
  void addSegment() {
    segments.add(new ArrayList<>());
  }

  /** Adds the segments of others, in an order of their numbers. */
  ListedRecords with(ListedRecords other, int... numbers) {
    for (int number : numbers) {
      segments.add(other.segments.get(number));
    }
    return this;
  }

  /** Returns the number of segments. */
  int count() {
    return segments.size();
  }

  /** Adds a record to the last segment; returns its address. */
  long add(byte[] key, boolean isDelete) {
    List<Change> last = segments.get(segments.size() - 1);
    last.add(new Change(ByteBuffer.wrap(key), isDelete));
    return address(segments.size() - 1, last.size());
  }

  private Change change(long address) {
    return segments.get(number(address)).get(offset(address) - 1);
  }

  @Override
  long high(long address) {
    hashed++;
    return hash.applyAsLong(change(address).key().array());
  }

  @Override
  boolean hasKey(long address, byte[] key) {
    return change(address).key().equals(ByteBuffer.wrap(key));
  }

  @Override
  boolean sameKey(long a, long b) {
    return change(a).key().equals(change(b).key());
  }

  @Override
  boolean isDelete(long address) {
    return change(address).isDelete();
  }
}
