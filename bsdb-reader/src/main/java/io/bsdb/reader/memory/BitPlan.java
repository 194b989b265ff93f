package io.bsdb.reader.memory;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Bits for each unit of signatures: one bit after the other goes to the unit where it saves most
 * reads per byte. An absent key costs 2<sup>−bits</sup> reads, so each bit saves half of what the
 * one before did, and the order in which bits are given is the best one.
 *
 * @param bits of each unit
 * @param bytes that they take
 */
record BitPlan(Map<SignatureUnit, Integer> bits, long bytes) {
  /** Absent keys per key before any has been counted: all units are alike then. */
  private static final double UNKNOWN = 1e-6;

  private static final int BITS_PER_BYTE = 8;

  private record Bit(SignatureUnit unit, int bits, long bytes, double savedPerByte) {}

  /**
   * Plans.
   *
   * @param available bytes
   * @param least reads that a byte must save, as it would save them elsewhere
   */
  static BitPlan of(Collection<SignatureUnit> units, long available, double least) {
    PriorityQueue<Bit> queue =
        new PriorityQueue<>(Comparator.comparingDouble(Bit::savedPerByte).reversed());
    Map<SignatureUnit, Integer> bits = new HashMap<>();
    for (SignatureUnit unit : units) {
      bits.put(unit, 0);
      offer(queue, unit, 1);
    }
    long left = available;
    for (Bit bit = queue.poll(); bit != null && bit.savedPerByte > least; bit = queue.poll()) {
      if (bit.bytes <= left) {
        left -= bit.bytes;
        bits.put(bit.unit, bit.bits);
        offer(queue, bit.unit, bit.bits + 1);
      }
    }
    return new BitPlan(bits, available - left);
  }

  private static void offer(PriorityQueue<Bit> queue, SignatureUnit unit, int bits) {
    if (bits <= unit.maxBits()) {
      long bytes = unit.bytes(bits) - unit.bytes(bits - 1);
      double saved = reads(unit, bits - 1) - reads(unit, bits);
      queue.add(new Bit(unit, bits, bytes, saved / Math.max(1, bytes)));
    }
  }

  /** Returns the reads of absent keys to expect with so many bits. */
  static double reads(SignatureUnit unit, int bits) {
    double keys = (double) unit.bytes(1) * BITS_PER_BYTE;
    return Math.scalb(unit.hotness() + UNKNOWN * keys, -bits);
  }

  double reads() {
    return bits.entrySet().stream().mapToDouble(e -> reads(e.getKey(), e.getValue())).sum();
  }
}
