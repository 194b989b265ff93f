package io.bsdb.kstreams.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.kstreams.Damage;
import io.bsdb.kstreams.LookupBuilder;
import io.bsdb.kstreams.testing.TemporaryTable;
import io.bsdb.testkit.OpenFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.Serdes;

/** A table of customers who all bear the number of the version that they are in, from 1. */
final class NumberedTable implements AutoCloseable {
  private final TemporaryTable<String, String> table =
      TemporaryTable.create(Serdes.String(), Serdes.String());
  private int published;

  void publish() {
    published++;
    assertThat(number(table.publish(customers()))).isEqualTo(published);
  }

  void publishDamaged() {
    published++;
    assertThat(number(Damage.publish(table.directory(), null))).isEqualTo(published);
  }

  /** Leaves the latest version such that it opens, but no customer can be read. */
  void damageRecords() {
    Damage.records(table.directory());
  }

  private Map<String, String> customers() {
    Map<String, String> customers = new HashMap<>();
    for (int i = 0; i < Traffic.CUSTOMERS; i++) {
      customers.put("c" + i, Integer.toString(published));
    }
    return customers;
  }

  /** The number of the latest version. */
  int published() {
    return published;
  }

  static int number(String version) {
    return Integer.parseInt(version.substring(0, 10));
  }

  LookupBuilder<String, String> lookup(String name) {
    return table.lookup(name);
  }

  Path directory() {
    return table.directory();
  }

  /** Files of the table that this process has open. */
  List<String> openFiles() throws IOException {
    return OpenFiles.descriptors().stream()
        .filter(file -> file.startsWith(table.directory() + "/"))
        .toList();
  }

  /** Numbers of the versions that are mapped into this process. */
  Set<Integer> mappedVersions() {
    String prefix = table.directory().resolve("snapshots") + "/";
    try {
      return OpenFiles.mappings().stream()
          .filter(line -> line.contains(prefix))
          .map(line -> number(line.substring(line.indexOf(prefix) + prefix.length())))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    table.close();
  }
}
