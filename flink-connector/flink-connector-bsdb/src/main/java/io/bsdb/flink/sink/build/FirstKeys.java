package io.bsdb.flink.sink.build;

import io.bsdb.flink.sink.change.Change;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/** The least key of each range whose records have come to a writer. */
final class FirstKeys {
  private final TreeMap<Integer, byte[]> firstKeys = new TreeMap<>();
  private int splitters;

  /** Notes a record. */
  void add(byte[] key, Change.Range range) {
    if (firstKeys.isEmpty()) {
      splitters = range.splitters();
    }
    BuiltFile.requireSame(splitters, range.splitters());
    byte[] first = firstKeys.get(range.partition());
    if (first == null || Arrays.compareUnsigned(key, first) < 0) {
      firstKeys.put(range.partition(), key);
    }
  }

  SortedMap<Integer, byte[]> firstKeys() {
    return firstKeys;
  }

  /** Returns the checksum of the keys at which all ranges begin; 0 if there are no records. */
  int splitters() {
    return splitters;
  }
}
