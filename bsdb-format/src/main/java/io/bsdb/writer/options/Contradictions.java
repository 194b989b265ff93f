package io.bsdb.writer.options;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Options of builds that contradict each other. */
final class Contradictions {
  private Contradictions() {}

  /**
   * Checks that options go together.
   *
   * @throws IllegalArgumentException naming those that do not, and what to choose instead
   */
  static void requireNone(WriterOptions options) {
    if (options.validity() != null) {
      requireHistory(options);
    }
    if (options.order() == RecordOrder.KEY) {
      requireSortableKeys(options);
    } else if (!options.pointIndex()) {
      throw new IllegalArgumentException(
          "a table in hash order is read by its perfect hash only: leave 'point-index' true, or"
              + " build with order 'key'");
    }
    if (options.keyStorage() == KeyStorage.OMITTED && options.signatureBits() == 0) {
      throw new IllegalArgumentException(
          "an approximate snapshot without signatures would answer every absent key with some"
              + " other value: choose 1 to 32 signature bits");
    }
    Layout layout = options.layout();
    if (layout.alignment() > options.blockSize()) {
      throw new IllegalArgumentException(
          "layout %s has blocks of whole pages: expected block size>=%d actual=%d"
              .formatted(layout.label(), layout.alignment(), options.blockSize()));
    }
  }

  private static void requireHistory(WriterOptions options) {
    if (options.order() != RecordOrder.KEY) {
      throw new IllegalArgumentException(
          "a table with a history is in the order of its keys: leave 'order' out, or build with order 'key'");
    }
    if (options.schema() != null) {
      Validity.requireSchema(options.schema());
    }
  }

  private static void requireSortableKeys(WriterOptions options) {
    if (options.keyStorage() == KeyStorage.OMITTED) {
      throw new IllegalArgumentException(
          "an approximate table stores no keys, so it cannot be in their order: build it with"
              + " keys, or with order 'hash'");
    }
    if (encodesKeys(options.layout())) {
      throw new IllegalArgumentException(
          "order 'key' needs plain keys, which layout '%s' encodes: take one of %s"
              .formatted(
                  options.layout().label(),
                  Stream.of(Layout.values())
                      .filter(layout -> !encodesKeys(layout))
                      .map(Layout::label)
                      .collect(Collectors.joining(", "))));
    }
    Schema schema = options.schema();
    if (schema != null && schema.keyEncoding() != KeyEncoding.ORDERED) {
      throw new IllegalArgumentException(
          "order 'key' needs keys whose bytes sort: give a schema with keyEncoding 'ordered' (Schema.withKeyEncoding(KeyEncoding.ORDERED)), and encode keys with it; its keyEncoding is '%s'"
              .formatted(schema.keyEncoding().label()));
    }
  }

  private static boolean encodesKeys(Layout layout) {
    return layout.codec() == Codec.SYMBOLS;
  }
}
