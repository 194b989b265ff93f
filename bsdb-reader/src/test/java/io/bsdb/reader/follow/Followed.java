package io.bsdb.reader.follow;

import java.time.Duration;

/** What tests of other packages need of a table that is followed. */
public final class Followed {
  private Followed() {}

  /** Does what the refresh thread does each time. */
  public static void refreshInBackground(TableReader table) {
    table.refreshInBackground();
  }

  /** Sets how long closing waits for a refresh in the background. */
  public static TableReader.Builder closeTimeout(TableReader.Builder builder, Duration timeout) {
    return builder.closeTimeout(timeout);
  }
}
