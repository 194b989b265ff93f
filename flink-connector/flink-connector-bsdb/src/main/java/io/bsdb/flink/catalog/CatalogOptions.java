package io.bsdb.flink.catalog;

import io.bsdb.format.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * The options of a catalog with {@code 'type' = 'bsdb'}.
 *
 * @hidden
 */
@Internal
public final class CatalogOptions {
  public static final ConfigOption<String> WAREHOUSE =
      ConfigOptions.key("warehouse")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A directory of databases, which are directories of tables: a local path, or a URI of one of Flink's file systems. The same on the client, on the JobManager and on all task managers.");

  public static final ConfigOption<String> DEFAULT_DATABASE =
      ConfigOptions.key("default-database")
          .stringType()
          .defaultValue("default")
          .withDescription(
              "The database in use after USE CATALOG. It need not exist as a directory.");

  private CatalogOptions() {}
}
