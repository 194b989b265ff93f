package io.bsdb.reader.diff;

import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** The version from which the changes of a table were to be read has been deleted. */
public final class VersionGoneException extends NoSuchFileException {
  private static final long serialVersionUID = 1L;

  VersionGoneException(Table table, String version, NoSuchFileException cause) throws IOException {
    super(
        String.valueOf(cause.getFile()),
        null,
        "version %s has been deleted, and what changed after it cannot be found any more: table=%s versions=%s; read the table again as a whole, and keep versions for longer than readers of its changes are stopped"
            .formatted(version, table.storage(), range(table)));
    initCause(cause);
  }

  private static String range(Table table) throws IOException {
    var versions = table.versions();
    return versions.isEmpty()
        ? "none"
        : versions.get(0) + " to " + versions.get(versions.size() - 1);
  }
}
