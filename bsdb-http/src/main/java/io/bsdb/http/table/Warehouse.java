package io.bsdb.http.table;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The tables that lie in a directory. */
public final class Warehouse {
  /** At the top of each ext4 file system; for the administrator alone. */
  private static final String LOST_AND_FOUND = "lost+found";

  private Warehouse() {}

  /**
   * Returns the tables by name: those in a directory by that of theirs, those one level deeper as
   * {@code DATABASE.TABLE}, or as {@code DATABASE/TABLE} if another one has that name. Whether the
   * names can be served is not checked.
   */
  public static Map<String, Path> tables(Path root) throws IOException {
    Map<String, Path> tables = new LinkedHashMap<>();
    List<Path> databases = new ArrayList<>();
    for (Path directory : directories(root)) {
      if (isTable(directory)) {
        tables.put(directory.getFileName().toString(), directory);
      } else {
        databases.add(directory);
      }
    }
    for (Path database : databases) {
      addInner(database.getFileName().toString(), database, tables);
    }
    return tables;
  }

  private static void addInner(String name, Path directory, Map<String, Path> tables)
      throws IOException {
    List<Path> inside;
    try {
      inside = directories(directory);
    } catch (AccessDeniedException e) {
      if (!name.equals(LOST_AND_FOUND)) {
        tables.put(name, directory); // to report why it is not served
      }
      return;
    }
    for (Path inner : inside) {
      if (isTable(inner)) {
        String own = name + "." + inner.getFileName();
        tables.put(tables.containsKey(own) ? name + "/" + inner.getFileName() : own, inner);
      }
    }
  }

  private static boolean isTable(Path directory) throws IOException {
    return Files.exists(directory.resolve(SnapshotFormat.CURRENT_FILE))
        || (Files.isDirectory(directory.resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY))
            && !Table.at(directory).versions().isEmpty());
  }

  private static List<Path> directories(Path parent) throws IOException {
    try (Stream<Path> entries = Files.list(parent)) {
      return entries.filter(Files::isDirectory).sorted().toList();
    }
  }
}
