package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.TableDistribution;

/** Number of partitions of a table, which can be given in two ways. */
final class Distribution {
  private Distribution() {}

  static int partitions(
      ResolvedCatalogTable catalogTable, DeclaredTable table, ReadableConfig options) {
    Optional<TableDistribution> distribution = catalogTable.getDistribution();
    distribution.ifPresent(declared -> checkColumns(table, declared.getBucketKeys()));
    Optional<Integer> buckets = distribution.flatMap(TableDistribution::getBucketCount);
    Optional<Integer> option = options.getOptional(BsdbOptions.SINK_PARTITIONS);
    if (buckets.isPresent() && option.isPresent() && !buckets.equals(option)) {
      throw new ValidationException(
          "table %s: DISTRIBUTED INTO %d BUCKETS and '%s' = '%d' contradict each other; leave one of them out"
              .formatted(
                  table.name(), buckets.get(), BsdbOptions.SINK_PARTITIONS.key(), option.get()));
    }
    int partitions = buckets.orElseGet(() -> options.get(BsdbOptions.SINK_PARTITIONS));
    if (partitions < 1) {
      throw new ValidationException(
          "table %s: number of partitions: expected>=1 actual=%d"
              .formatted(table.name(), partitions));
    }
    return partitions;
  }

  private static void checkColumns(DeclaredTable table, List<String> columns) {
    if (!columns.isEmpty() && !new HashSet<>(columns).equals(new HashSet<>(table.primaryKey()))) {
      throw new ValidationException(
          "table %s: DISTRIBUTED BY %s: rows are distributed by the hash of their whole primary key %s; name these columns, or none"
              .formatted(table.name(), columns, table.primaryKey()));
    }
  }
}
