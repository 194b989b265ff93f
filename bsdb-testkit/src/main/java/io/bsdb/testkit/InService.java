package io.bsdb.testkit;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;

/** Reads the manifest of the version in service. */
public final class InService {
  private InService() {}

  public static Manifest of(Table table) throws IOException {
    return table.manifest(table.requireCurrentVersion());
  }

  public static Manifest of(Path table) throws IOException {
    return of(Table.at(table));
  }
}
