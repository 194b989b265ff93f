package io.bsdb.reader;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * A process that builds one version after the other until somebody ends it. Before each operation
 * on the table's files it prints a line and waits for a byte, or goes on if there will be none.
 */
final class BuildsUntilKilled {
  private BuildsUntilKilled() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    Table table =
        Table.of(
            new FaultyStorage(
                Table.at(directory).storage(),
                (operation, path) -> {
                  System.out.println(operation + " " + path);
                  System.out.flush();
                  System.in.read();
                }));
    while (true) {
      publishNext(table, directory.resolve("tmp"));
      table.prune(2);
    }
  }

  /** Publishes the version after the one in service. */
  static void publishNext(Table table, Path temporaryDirectory) throws IOException {
    String current = table.currentVersion();
    int number = current == null ? 1 : numberOf(table.manifest(current)) + 1;
    TestData data = data(number);
    WriterOptions options =
        WriterOptions.builder()
            .layout(number % 2 == 0 ? Layout.COMPACT : Layout.COMPRESSED)
            .partitions(3)
            .properties(Map.of("number", Integer.toString(number)))
            .temporaryDirectory(temporaryDirectory)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      if (!Objects.equals(table.currentVersion(), current)) {
        return; // a rival published before this build began: the number is not the next one
      }
      for (int i = 0; i < data.count(); i++) {
        writer.add(data.keys().get(i), data.values().get(i));
      }
      writer.publish();
    }
  }

  /** Which version a manifest is of. */
  static int numberOf(Manifest manifest) {
    return Integer.parseInt(manifest.properties().get("number"));
  }

  /** What is in it. */
  static TestData data(int number) {
    return TestData.random(number, 50 + number % 50, Lengths.VARYING, Lengths.VARYING, 100);
  }
}
