package io.bsdb.reader;

import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A process that builds one version after the other, beside others that do the same, until it is
 * killed. Prints what became of each.
 */
final class RivalBuilds {
  private RivalBuilds() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    Table table = Table.at(directory);
    while (true) {
      try {
        BuildsUntilKilled.publishNext(table, directory.resolve("tmp"));
        System.out.println("published");
      } catch (PublishConflictException e) {
        System.out.println("conflict");
      } catch (NoSuchFileException e) {
        System.out.println("pruned"); // the manifest that was to be read, by another process
      }
      table.prune(3);
    }
  }
}
