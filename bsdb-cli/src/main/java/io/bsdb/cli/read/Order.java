package io.bsdb.cli.read;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.manifest.RecordOrder;

/** Lookups by order, of tables that have one. */
final class Order {
  private Order() {}

  static OrderedReader of(SnapshotReader reader) {
    if (reader.manifest().order() != RecordOrder.KEY) {
      throw CommandFailure.usage(
          "the table is in hash order, which answers no floors, ranges and prefixes; build it with --order key");
    }
    return reader.ordered();
  }
}
