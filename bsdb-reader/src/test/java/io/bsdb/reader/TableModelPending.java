package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.bsdb.reload.Publish;
import io.bsdb.reload.TableReload;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;

/** Builds and reloads of a table that have begun, and are published later if at all. */
final class TableModelPending implements Closeable {
  private record Pending(TableReload reload, Map<String, byte[]> rows) {}

  private final Path directory;
  private final Table table;
  private final Campaign campaign;
  private final Random random;
  private final TableModelRecords records;
  private final Function<String, Map<String, byte[]>> content;
  private final Consumer<String> did;
  private final List<SnapshotWriter> builds = new ArrayList<>();
  private final List<Pending> reloads = new ArrayList<>();

  /**
   * @param content returns what a version holds
   * @param did takes a step
   */
  TableModelPending(
      Path directory,
      Campaign campaign,
      TableModelRecords records,
      Function<String, Map<String, byte[]>> content,
      Consumer<String> did) {
    this.directory = directory;
    this.table = Table.at(directory);
    this.campaign = campaign;
    this.random = campaign.random();
    this.records = records;
    this.content = content;
    this.did = did;
  }

  static void fill(SnapshotWriter writer, Map<String, byte[]> content) throws IOException {
    for (Map.Entry<String, byte[]> record : content.entrySet()) {
      writer.add(record.getKey().getBytes(ISO_8859_1), record.getValue());
    }
  }

  static WriterOptions.Builder likeInService(Table table) throws IOException {
    return WriterOptions.like(table.manifest(table.requireCurrentVersion())).toBuilder().minRows(0);
  }

  /** Begins a build whose data is that of a version, or newer. */
  void beginRebuild() throws IOException {
    List<String> all = table.versions();
    String version =
        random.nextBoolean() ? table.requireCurrentVersion() : all.get(random.nextInt(all.size()));
    did.accept("begin-rebuild " + version.substring(0, 10));
    SnapshotWriter writer = SnapshotWriter.createAsOf(version, directory, records.options());
    fill(writer, content.apply(version));
    builds.add(writer);
  }

  void publishRebuild() throws IOException {
    if (builds.isEmpty()) {
      return;
    }
    try (SnapshotWriter writer = builds.remove(random.nextInt(builds.size()))) {
      did.accept("rebuild");
      writer.publish();
      campaign.count("accepted");
    } catch (PublishConflictException refused) {
      campaign.count("refused");
    }
  }

  /** Begins a reload with the rows of a version, which keeps what is changed after it. */
  void beginReload() throws IOException {
    List<String> all = table.versions();
    String version =
        random.nextBoolean() ? table.requireCurrentVersion() : all.get(random.nextInt(all.size()));
    Publish publish = records.publish();
    did.accept("begin-reload %s %s".formatted(version.substring(0, 10), publish));
    try {
      TableReload reload =
          TableReload.beginAsOf(version, directory, likeInService(table).build(), publish);
      reloads.add(new Pending(reload, content.apply(version)));
    } catch (PublishConflictException refused) {
      campaign.count("refused");
    }
  }

  void publishReload() throws IOException {
    if (reloads.isEmpty()) {
      return;
    }
    Pending pending = reloads.remove(random.nextInt(reloads.size()));
    did.accept("publish-reload");
    try (TableReload reload = pending.reload) {
      for (Map.Entry<String, byte[]> row : pending.rows.entrySet()) {
        reload.add(row.getKey().getBytes(ISO_8859_1), row.getValue());
      }
      reload.publish();
      campaign.count("accepted");
    } catch (PublishConflictException refused) {
      campaign.count("refused");
    }
  }

  @Override
  public void close() throws IOException {
    for (Pending reload : reloads) {
      reload.reload.close();
    }
    for (SnapshotWriter build : builds) {
      build.close();
    }
  }
}
