package io.bsdb.flink;

import io.bsdb.flink.lookup.AsOfSettings;
import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.reload.Publish;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.time.Duration;
import java.util.Locale;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.util.TimeUtils;
import org.jspecify.annotations.Nullable;

/** Reads and checks the options of a table with a history. */
final class HistoryDeclaration {
  private static final String FOREVER = Validity.FOREVER.toString();

  private HistoryDeclaration() {}

  /**
   * Returns the validity of rows; null if the table keeps no history.
   *
   * @throws ValidationException if options are wrong or contradict each other
   */
  static @Nullable Validity validity(ReadableConfig options) {
    String retention = options.get(BsdbOptions.HISTORY_RETENTION);
    if (retention == null) {
      return null;
    }
    if (options.getOptional(BsdbOptions.SINK_ORDER).orElse(RecordOrder.KEY) != RecordOrder.KEY) {
      throw new ValidationException(
          "a history is in key order; leave '%s' out, or set it to 'key'"
              .formatted(BsdbOptions.SINK_ORDER.key()));
    }
    try {
      return retention.equals(FOREVER)
          ? Validity.FOREVER
          : new Validity(TimeUtils.parseDuration(retention), null);
    } catch (IllegalArgumentException e) {
      throw new ValidationException(
          "'%s' = '%s' is neither '%s' nor a duration, such as '30 d': %s"
              .formatted(BsdbOptions.HISTORY_RETENTION.key(), retention, FOREVER, e.getMessage()),
          e);
    }
  }

  /**
   * Checks the columns of a table with a history.
   *
   * @throws ValidationException if its key does not end in a time
   */
  static void requireTime(DeclaredTable table) {
    try {
      Validity.requireSchema(table.schema());
    } catch (IllegalArgumentException e) {
      throw new ValidationException(e.getMessage(), e);
    }
  }

  /**
   * Checks the options of a statement that writes a table with a history.
   *
   * @throws ValidationException if one of them is not supported
   */
  static void requireWritable(DeclaredTable table, ReadableConfig options) {
    if (options.get(BsdbOptions.SINK_PARTIAL_UPDATE)) {
      throw unsupported(table, BsdbOptions.SINK_PARTIAL_UPDATE, true, "name all columns");
    }
    Publish publish = options.get(BsdbOptions.SINK_PUBLISH);
    if (publish != Publish.ALL) {
      throw unsupported(table, BsdbOptions.SINK_PUBLISH, publish, "leave it out");
    }
  }

  /**
   * Returns how lookups treat times.
   *
   * @param session of the job
   * @throws ValidationException if there is no history, or the wait could not end well
   */
  static AsOfSettings asOf(
      DeclaredTable table, ReadSettings settings, ReadableConfig options, ReadableConfig session) {
    Duration maxWait = options.get(BsdbOptions.LOOKUP_WAIT_FOR_SOURCE_TIME);
    AsOfSettings asOf =
        new AsOfSettings(
            maxWait, options.get(BsdbOptions.LOOKUP_BEFORE_HORIZON) == BeforeHorizon.FAIL);
    if (asOf.equals(AsOfSettings.NONE)) {
      return asOf;
    }
    String waiting = BsdbOptions.LOOKUP_WAIT_FOR_SOURCE_TIME.key();
    String wrong = null;
    Duration timeout = session.get(ExecutionConfigOptions.TABLE_EXEC_ASYNC_LOOKUP_TIMEOUT);
    if (table.validity() == null) {
      wrong =
          "it keeps no history; declare '%s', or leave '%s' out"
              .formatted(
                  BsdbOptions.HISTORY_RETENTION.key(),
                  asOf.waits() ? waiting : BsdbOptions.LOOKUP_BEFORE_HORIZON.key());
    } else if (asOf.waits() && settings.version() != null) {
      wrong =
          "'%s' waits for newer versions than %s, which was chosen; leave it out"
              .formatted(waiting, settings.version());
    } else if (asOf.waits() && settings.refreshInterval().isZero()) {
      wrong =
          "'%s' waits for newer versions, and these are not looked for; set '%s' to more than 0"
              .formatted(waiting, BsdbOptions.LOOKUP_REFRESH_INTERVAL.key());
    } else if (maxWait.isNegative() || maxWait.compareTo(timeout) >= 0) {
      wrong =
          "'%s': expected 0 or more, and less than '%s' = %s, after which Flink fails the job; actual %s"
              .formatted(
                  waiting,
                  ExecutionConfigOptions.TABLE_EXEC_ASYNC_LOOKUP_TIMEOUT.key(),
                  TimeUtils.formatWithHighestUnit(timeout),
                  TimeUtils.formatWithHighestUnit(maxWait));
    }
    if (wrong != null) {
      throw new ValidationException("table %s: %s".formatted(table.name(), wrong));
    }
    return asOf;
  }

  /** Refuses an option. */
  static ValidationException unsupported(
      DeclaredTable table, ConfigOption<?> option, Object value, String instead) {
    return new ValidationException(
        "table %s keeps a history, and '%s' = '%s' is not supported; %s"
            .formatted(
                table.name(), option.key(), value.toString().toLowerCase(Locale.ROOT), instead));
  }
}
