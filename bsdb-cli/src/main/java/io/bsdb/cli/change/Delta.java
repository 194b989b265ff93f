package io.bsdb.cli.change;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Report;
import io.bsdb.cli.table.VersionText;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.DeltaWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The changes of one command: one version, and one answer. */
final class Delta implements Closeable {
  private final DeltaWriter writer;
  private long puts;
  private long deletes;
  private long ended;

  private Delta(DeltaWriter writer) {
    this.writer = writer;
  }

  static Delta begin(Table table) throws IOException {
    return new Delta(DeltaWriter.create(table));
  }

  /** Returns the schema of the rows; null if keys and values are plain bytes. */
  @Nullable Schema schema() {
    return writer.schema();
  }

  void put(byte[] key, byte[] value) throws IOException {
    writer.put(key, value);
    puts++;
  }

  void delete(byte[] key) throws IOException {
    writer.delete(key);
    deletes++;
  }

  /** Deletes a key; in a table with a history, ends what was valid until the key's time. */
  void end(byte[] key) throws IOException {
    if (writer.hasHistory()) {
      writer.put(key, RowWriter.ended());
      ended++;
    } else {
      delete(key);
    }
  }

  /** Puts the changes in service and reports it. */
  void publish(Map<String, String> positions, Console console, boolean json) throws IOException {
    positions.forEach(writer::position);
    Manifest manifest = writer.publish();
    String version = manifest.version();
    if (puts + deletes + ended + positions.size() == 0) {
      console.say("nothing to change: %s stays in service", version);
    } else {
      console.say("%s is in service: %s", version, VersionText.of(manifest));
    }
    Report report = new Report().add("version", version).add("puts", puts).add("deletes", deletes);
    if (writer.hasHistory()) {
      report.add("ended", ended);
    }
    console.answer(json ? report.json() : report.line(), version + " is in service all the same");
  }

  /** Deletes what was not published. */
  @Override
  public void close() throws IOException {
    writer.close();
  }
}
