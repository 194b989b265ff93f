package io.bsdb.flink.catalog;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;

/**
 * Meaning of a name: a table, one version of it ({@code t$v42}), the version of a time ({@code
 * t$at2026-11-20T08:30:00Z}), the list of its versions ({@code t$snapshots}), or that of its files
 * of changes ({@code t$segments}).
 *
 * @param path of the table itself
 * @param version number or full name of a version, or a time; empty if none is named
 */
record TableName(ObjectPath path, Part part, String version) {
  private static final String TIME = "at";
  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_][\\p{L}\\p{N}_ .-]{0,199}");
  private static final Pattern VERSION = Pattern.compile("v(\\d{1,10}|\\d{10}-[0-9a-f]{8})");
  private static final String VERSIONS = "snapshots";
  private static final String SEGMENTS = "segments";

  enum Part {
    TABLE,
    VERSION,
    TIME,
    VERSIONS,
    SEGMENTS
  }

  static TableName of(ObjectPath path) {
    String name = path.getObjectName();
    int dollar = name.indexOf('$');
    if (dollar < 1) { // nothing before it names no table
      return new TableName(path, Part.TABLE, "");
    }
    ObjectPath table = new ObjectPath(path.getDatabaseName(), name.substring(0, dollar));
    String suffix = name.substring(dollar + 1);
    Matcher version = VERSION.matcher(suffix);
    if (version.matches()) {
      return new TableName(table, Part.VERSION, version.group(1));
    }
    if (suffix.startsWith(TIME)) {
      return new TableName(table, Part.TIME, suffix.substring(TIME.length()));
    }
    if (suffix.equals(VERSIONS)) {
      return new TableName(table, Part.VERSIONS, "");
    }
    if (suffix.equals(SEGMENTS)) {
      return new TableName(table, Part.SEGMENTS, "");
    }
    throw new CatalogException(
        "no such part of a table: '%s'; after the '$' stands 'snapshots', 'segments', or 'v' and a version, such as v42 or v0000000042-0a1b2c3d, or 'at' and a time, such as at2026-11-20T08:30:00Z"
            .formatted(name));
  }

  /**
   * Returns the time in the name.
   *
   * @throws ValidationException if it has none
   */
  Instant time() {
    try {
      return Instant.parse(version);
    } catch (DateTimeParseException e) {
      throw new ValidationException(
          "'%s' is no time; expected one in UTC, such as 2026-11-20T08:30:00Z".formatted(version),
          e);
    }
  }

  /** Returns the name of the version of a time of this table. */
  String at(Instant time) {
    return path.getObjectName() + '$' + TIME + time;
  }

  /** Returns whether this can be the name of a database or table, and of a directory everywhere. */
  static boolean isPlain(String name) {
    return PLAIN.matcher(name).matches();
  }
}
