package io.bsdb.flink.catalog;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.apache.flink.table.api.ValidationException;

/** Finds versions of a table by what people say. */
final class Versions {
  private Versions() {}

  /**
   * Returns the version of a full name, such as {@code 0000000042-0b5e77d0}, or of a number, such
   * as 42.
   *
   * @throws ValidationException if there is none, or more than one
   */
  static String resolve(Table table, String wanted) throws IOException {
    List<String> versions = table.versions();
    List<String> matches = versions.stream().filter(version -> matches(version, wanted)).toList();
    if (matches.isEmpty()) {
      throw new ValidationException(
          "no version %s of table %s; there are %s".formatted(wanted, table.storage(), versions));
    }
    if (matches.size() > 1) {
      throw new ValidationException(
          "several versions %s of table %s: %s; write one of them out"
              .formatted(wanted, table.storage(), matches));
    }
    return matches.get(0);
  }

  /**
   * Returns whether a version has this full name or number.
   *
   * @param version its full name
   */
  static boolean matches(String version, String wanted) {
    return version.equals(wanted)
        || (wanted.matches("\\d{1,10}") && Table.sequence(version) == Long.parseLong(wanted));
  }

  /**
   * Returns the newest version that was built at that time or before.
   *
   * @throws ValidationException if all are newer
   */
  static Manifest asOf(Table table, Instant time) throws IOException {
    List<String> versions = table.versions();
    Instant oldest = Instant.MAX;
    for (int i = versions.size() - 1; i >= 0; i--) {
      Manifest manifest = table.manifest(versions.get(i));
      if (!manifest.createdAt().isAfter(time)) {
        return manifest;
      }
      oldest = manifest.createdAt();
    }
    throw new ValidationException(
        versions.isEmpty()
            ? "nothing was ever published in table %s".formatted(table.storage())
            : "no version of table %s is as old as %s: the oldest, %s, was built at %s"
                .formatted(table.storage(), time, versions.get(0), oldest));
  }

  /**
   * Returns the version that was in service before, not the one with the next lower number, which
   * may have been rolled back itself.
   *
   * @throws ValidationException if there is none, or it has been deleted
   */
  static String previous(Table table) throws IOException {
    String current = table.requireCurrentVersion();
    String before = table.versionBefore(current);
    if (before == null) {
      throw new ValidationException(
          "there is no version before %s in table %s".formatted(current, table.storage()));
    }
    if (!table.contains(before)) {
      throw new ValidationException(
          "the version before %s in table %s has been deleted: %s; name one of %s"
              .formatted(current, table.storage(), before, table.versions()));
    }
    return before;
  }
}
