package io.bsdb.reader.snapshot;

import io.bsdb.reader.memory.ElasticMemory;
import io.bsdb.reader.memory.SignatureUnit;
import io.bsdb.reader.partition.ElasticSignatures;
import io.bsdb.reader.partition.Partition;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts the signatures of partitions into units. In hash order all versions of a table that are open
 * share one, so that a successor has the bits of the version before. In key order each partition
 * has its own, and inherits from those whose keys it takes over.
 */
public final class SignatureUnits {
  private SignatureUnits() {}

  /**
   * Puts the partitions of a version that is opened into units.
   *
   * @param added those that the version before does not have
   * @param before null if there is none
   */
  static void add(
      List<Partition> added,
      Partitioning partitioning,
      ElasticMemory memory,
      @Nullable Base before) {
    List<Partition> former = before == null ? List.of() : before.partitions();
    List<SignatureUnit> units = new ArrayList<>();
    for (Partition partition : added) {
      ElasticSignatures signatures = partition.signatures();
      if (signatures != null) {
        SignatureUnit unit;
        if (partitioning.order() == RecordOrder.KEY) {
          unit = new SignatureUnit();
          inherit(unit, partition.number(), partitioning, before);
        } else if (units.isEmpty()) {
          unit = units(former).stream().findFirst().orElseGet(SignatureUnit::new);
        } else {
          unit = units.get(0);
        }
        signatures.join(unit);
        units.add(unit);
      }
    }
    if (before == null) {
      memory.add(units);
    } else if (!units.isEmpty()) {
      memory.add(units, units(former));
    }
  }

  private static List<SignatureUnit> units(List<Partition> partitions) {
    return partitions.stream()
        .map(partition -> Optional.ofNullable(partition.signatures()))
        .flatMap(Optional::stream)
        .map(ElasticSignatures::unit)
        .distinct()
        .toList();
  }

  private static void inherit(
      SignatureUnit unit, int number, Partitioning partitioning, @Nullable Base before) {
    if (before == null || before.partitioning().order() != RecordOrder.KEY) {
      return;
    }
    byte[] start = partitioning.lowerBound(number);
    byte[] end = upperBound(partitioning, number);
    double bits = 0;
    double shares = 0;
    double hotness = 0;
    for (Partition former : before.partitions()) {
      ElasticSignatures signatures = former.signatures();
      if (signatures != null) {
        byte[] from = before.partitioning().lowerBound(former.number());
        byte[] to = upperBound(before.partitioning(), former.number());
        double share =
            Math.max(0, (end == null ? 1 : position(end, from, to)) - position(start, from, to));
        shares += share;
        bits += share * signatures.unit().bits();
        hotness += share * signatures.unit().hotness();
      }
    }
    if (shares > 0) {
      unit.inherit((int) Math.round(bits / shares), hotness);
    }
  }

  private static byte @Nullable [] upperBound(Partitioning partitioning, int number) {
    return number + 1 == partitioning.count() ? null : partitioning.lowerBound(number + 1);
  }

  /**
   * Returns where a key lies between two others, from 0 to 1: by the eight bytes after what these
   * have in common.
   *
   * @param to null for the end of all keys
   */
  public static double position(byte[] key, byte[] from, byte @Nullable [] to) {
    if (Arrays.compareUnsigned(key, from) <= 0) {
      return 0;
    }
    if (to != null && Arrays.compareUnsigned(key, to) >= 0) {
      return 1;
    }
    int common = to == null ? 0 : Math.max(0, Arrays.mismatch(from, to));
    double start = fraction(from, common);
    double end = to == null ? 1 : fraction(to, common);
    return end > start ? (fraction(key, common) - start) / (end - start) : 0.5;
  }

  private static double fraction(byte[] key, int offset) {
    double fraction = 0;
    double weight = 1.0 / 256;
    for (int i = offset; i < Math.min(key.length, offset + Long.BYTES); i++) {
      fraction += (key[i] & 0xFF) * weight;
      weight /= 256;
    }
    return fraction;
  }
}
