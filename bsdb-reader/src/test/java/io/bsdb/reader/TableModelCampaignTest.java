package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.compact.Compactor;
import io.bsdb.compact.StreamUpkeep;
import io.bsdb.reader.diff.DiffModel;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reload.Publish;
import io.bsdb.reload.TableReload;
import io.bsdb.row.RowWriter;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table that changes in every way, beside a map for each of its versions. {@code mvn test
 * -Pmodel}
 */
@Tag("model")
@ExtendWith(NothingLeftOpen.class)
class TableModelCampaignTest {
  private static final int STEPS = 40;

  @TempDir private Path directory;
  private final Campaign campaign = Campaign.start("model of a table");

  @Test
  void eachVersionHoldsWhatTheModelHolds() throws Exception {
    try (campaign) {
      while (campaign.nextRound()) {
        Path table = directory.resolve("table-" + campaign.seed());
        try {
          new Round(table, campaign).run();
        } catch (IOException | RuntimeException | AssertionError e) {
          throw new AssertionError("-Dcampaign.seed=" + campaign.seed(), e);
        }
        delete(table);
        campaign.count("rounds");
      }
    }
  }

  static void delete(Path table) throws IOException {
    try (Stream<Path> files = Files.walk(table)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }

  /** One table. */
  private static final class Round {
    private final Path directory;
    private final Table table;
    private final Campaign campaign;
    private final Random random;
    private final TableModelRecords records;
    private final TableModelReads reads;

    private final TableModelPending pending;

    /** What each complete version holds. */
    private final Map<String, TreeMap<String, byte[]>> versions = new HashMap<>();

    private TreeMap<String, byte[]> model = new TreeMap<>();
    private final List<String> steps = new ArrayList<>();

    Round(Path directory, Campaign campaign) {
      this.directory = directory;
      this.table = Table.at(directory);
      this.campaign = campaign;
      this.random = campaign.random();
      this.records = new TableModelRecords(random);
      this.reads = new TableModelReads(records, random);
      this.pending = new TableModelPending(directory, campaign, records, this::content, this::did);
    }

    void run() throws IOException {
      build();
      ReaderOptions following = records.reading();
      Path copies = directory.resolveSibling("followed");
      try (TableReader follower = follow(TableReader.builder(directory), following);
          TableReader copied =
              follow(TableReader.builder(table).localDirectory(copies), following)) {
        for (int i = 0; i < STEPS; i++) {
          step(follower);
          if (random.nextInt(3) == 0) {
            copied.refresh();
            try (TableReader.Lease lease = copied.lease()) {
              reads.assertHolds(lease.reader(), model, 5);
            }
          }
        }
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError(records.kind() + ", " + following + " after " + steps, e);
      } finally {
        pending.close();
      }
      delete(copies);
      SnapshotVerifier.verify(
          directory.resolve("snapshots").resolve(table.requireCurrentVersion()));
    }

    private static TableReader follow(TableReader.Builder builder, ReaderOptions options)
        throws IOException {
      return builder.options(options).refreshEvery(Duration.ZERO).open();
    }

    private void step(TableReader follower) throws IOException {
      int kind = random.nextInt(33);
      try (TableReader.Lease held = follower.lease()) {
        TreeMap<String, byte[]> before = model;
        if (kind < 10) {
          change();
        } else if (kind < 14) {
          compact();
        } else if (kind < 16) {
          merge();
        } else if (kind < 18) {
          pending.beginRebuild();
        } else if (kind < 20) {
          pending.publishRebuild();
        } else if (kind == 20) {
          rollback();
        } else if (kind == 21) {
          prune();
        } else if (kind == 22 && random.nextInt(4) == 0) {
          build();
        } else if (kind < 25) {
          reload();
        } else if (kind == 25) {
          pending.beginReload();
        } else if (kind == 26) {
          pending.publishReload();
        } else if (kind < 29) {
          did("sweep");
          table.sweep(Duration.ZERO);
        } else if (kind < 32) {
          fail();
        } else {
          stream();
        }
        for (String version : table.versions()) { // a compaction may publish two
          versions.putIfAbsent(version, model);
        }
        reads.assertHolds(held.reader(), before, 5);
      }
      follower.refresh();
      try (TableReader.Lease lease = follower.lease()) {
        reads.assertHolds(lease.reader(), model, 10);
        NavigableMap<String, byte[]> valid = valid();
        reads.assertGets(follower, valid);
        if (lease.reader().manifest().order() == RecordOrder.KEY) {
          reads.assertRanges(follower.ordered(), valid);
        }
      }
      try (SnapshotReader reader = SnapshotReader.open(directory, records.reading())) {
        reads.assertHolds(reader, model, 5);
        TableModelReads.assertScans(reader, model);
      }
      if (random.nextInt(4) == 0) {
        List<String> all = table.versions();
        String first = all.get(random.nextInt(all.size()));
        String second = all.get(random.nextInt(all.size()));
        new DiffModel(directory, random).check(first, content(first), second, content(second));
        campaign.count("compared");
      }
    }

    /** Returns what is there without ended rows. */
    private NavigableMap<String, byte[]> valid() {
      TreeMap<String, byte[]> valid = new TreeMap<>(model);
      if (records.kind() == TableModelRecords.Kind.HISTORY) {
        valid.values().removeIf(value -> Arrays.equals(value, RowWriter.ended()));
      }
      return valid;
    }

    private Map<String, byte[]> content(String version) {
      return Objects.requireNonNull(versions.get(version));
    }

    private void did(String step) {
      steps.add(step);
      campaign.count(step.split(" ", 2)[0]);
    }

    private void build() throws IOException {
      did("build");
      model = new TreeMap<>();
      for (int i = random.nextInt(2 * records.keys()); i > 0; i--) {
        model.put(records.key(), records.value());
      }
      try (SnapshotWriter writer = SnapshotWriter.create(directory, records.options())) {
        TableModelPending.fill(writer, model);
        writer.publish();
      }
      versions.put(table.requireCurrentVersion(), model);
    }

    private void change() throws IOException {
      TreeMap<String, byte[]> next = new TreeMap<>(model);
      try (DeltaWriter writer = DeltaWriter.create(table)) {
        int changes = 1 + random.nextInt(random.nextInt(4) == 0 ? 2 * records.keys() : 8);
        boolean deletes = random.nextInt(6) == 0;
        boolean run = random.nextInt(3) == 0;
        int first = random.nextInt(records.keys());
        for (int i = 0; i < changes; i++) {
          String key = run ? records.key((first + i) % records.keys()) : records.key();
          if (deletes || random.nextInt(3) == 0) {
            writer.delete(key.getBytes(ISO_8859_1));
            next.remove(key);
          } else {
            byte[] value = records.value();
            writer.put(key.getBytes(ISO_8859_1), value);
            next.put(key, value);
          }
        }
        did("change " + changes + (deletes ? " deletes" : ""));
        writer.publish();
      }
      model = next;
    }

    private void compact() throws IOException {
      double[] fractions = {0, 0.1, 0.5, 1, 100};
      double fraction = fractions[random.nextInt(fractions.length)];
      int maxSegments = List.of(1, 2, 64).get(random.nextInt(3));
      int maxPartitions = List.of(1, 2, 100).get(random.nextInt(3));
      Duration history = random.nextInt(3) == 0 ? Duration.ZERO : Duration.ofDays(1);
      did("compact %s %d %d %s".formatted(fraction, maxSegments, maxPartitions, history));
      Path copies = directory.resolveSibling("copies");
      boolean remote = random.nextInt(4) == 0;
      (remote ? Compactor.remote(table, Files.createDirectories(copies)) : new Compactor(directory))
          .foldFraction(fraction)
          .maxSegments(maxSegments)
          .maxPartitions(maxPartitions)
          .keepHistory(history)
          .run();
      if (remote) {
        delete(copies);
      }
    }

    private void merge() throws IOException {
      int maxSegments = 1 + random.nextInt(3);
      did("merge " + maxSegments);
      Path copies = Files.createDirectories(directory.resolveSibling("copies"));
      new StreamUpkeep(table, copies, maxSegments).merge();
      delete(copies);
    }

    /** Replaces all rows by an input, like a build, but publishes what differs. */
    private void reload() throws IOException {
      Publish publish = records.publish();
      boolean last = random.nextBoolean();
      did("reload " + publish + (last ? " last" : " first"));
      TreeMap<String, byte[]> input = new TreeMap<>(model);
      for (int i = random.nextInt(random.nextBoolean() ? 4 : 2 * records.keys()); i > 0; i--) {
        if (random.nextBoolean()) {
          input.remove(records.key());
        } else {
          input.put(records.key(), records.value());
        }
      }
      List<String> shuffled = new ArrayList<>(input.keySet());
      Collections.shuffle(shuffled, random);
      WriterOptions options =
          TableModelPending.likeInService(table)
              .duplicates(last ? Duplicates.LAST : Duplicates.FIRST)
              .build();
      try (TableReload reload = TableReload.begin(directory, options, publish)) {
        for (String key : shuffled) {
          byte[] bytes = key.getBytes(ISO_8859_1);
          boolean twice = random.nextInt(10) == 0;
          if (twice && last) {
            reload.add(bytes, records.value());
          }
          reload.add(bytes, Objects.requireNonNull(input.get(key)));
          if (twice && !last) {
            reload.add(bytes, records.value());
          }
        }
        reload.publish();
      }
      model = input;
    }

    private void rollback() throws IOException {
      List<String> all = table.versions();
      String version = all.get(random.nextInt(all.size()));
      did("rollback " + version.substring(0, 10));
      table.rollback(version);
      model = versions.get(version);
      if (!table.manifest(version).changes().streams().isEmpty()) {
        table.endStream("s"); // whose job has stopped
      }
    }

    private void prune() throws IOException {
      int keep = 1 + random.nextInt(3);
      did("prune " + keep);
      versions
          .keySet()
          .removeAll(
              switch (random.nextInt(4)) {
                case 0 -> table.prune(keep, Duration.ofMillis(random.nextInt(1000)));
                case 1 -> table.pruneByWeight(Duration.ofDays(1), random.nextInt(1 << 16));
                default -> table.prune(keep);
              });
    }

    /** Does something in a storage that fails once, or from then on, as if the process died. */
    private void fail() throws IOException {
      boolean replaces = random.nextBoolean(); // manifests and CURRENT, before or after
      int at = 1 + random.nextInt(replaces ? 4 : 40);
      boolean dies = random.nextBoolean();
      AtomicInteger operations = new AtomicInteger();
      FaultyStorage.Fault fault =
          (operation, path) -> {
            if (replaces && operations.get() < at && !operation.startsWith("replace")) {
              return;
            }
            int n = operations.incrementAndGet();
            if (n == at || (dies && n > at)) {
              throw new IOException("injected: %s %s".formatted(operation, path));
            }
          };
      Table failing =
          Table.of(
              random.nextBoolean()
                  ? new FaultyStorage(table.storage(), fault)
                  : FaultyStorage.withoutLocks(table.storage(), fault));
      String before = table.requireCurrentVersion();
      TreeMap<String, byte[]> next = model;
      int what = random.nextInt(4);
      did("fail %s %d %s %d".formatted(replaces, at, dies, what));
      try {
        switch (what) {
          case 0 -> new Compactor(directory, failing).foldFraction(0).maxSegments(1).run();
          case 1 -> failing.prune(1 + random.nextInt(2));
          case 2 -> failing.sweep(Duration.ZERO);
          default -> {
            next = new TreeMap<>(model);
            try (DeltaWriter writer = DeltaWriter.create(failing)) {
              for (int i = 0; i < 5; i++) {
                String key = records.key();
                byte[] value = records.value();
                writer.put(key.getBytes(ISO_8859_1), value);
                next.put(key, value);
              }
              writer.publish();
            }
          }
        }
      } catch (IOException e) {
        assertThat(e).hasStackTraceContaining("injected");
        campaign.count("failed");
      }
      List<String> complete = table.versions();
      versions.keySet().retainAll(complete);
      for (String version : complete) { // also one that did not come into service
        versions.putIfAbsent(version, next);
      }
      model =
          what < 3 || table.requireCurrentVersion().equals(before)
              ? model
              : versions.get(table.requireCurrentVersion());
    }

    /** Publishes changes as a stream, some more than once, and ends it. */
    private void stream() throws IOException {
      did("stream");
      UUID incarnation = UUID.randomUUID();
      Checkpoint last = Checkpoint.begin(incarnation);
      for (int i = random.nextInt(4); i >= 0; i--) {
        Checkpoint checkpoint = new Checkpoint(incarnation, last.number() + 1 + random.nextInt(3));
        StreamRule rule = new StreamRule("s", checkpoint, last);
        String key = records.key();
        byte[] value = records.value();
        for (int again = random.nextInt(2); again >= 0; again--) {
          try (DeltaWriter writer = DeltaWriter.create(table)) {
            writer.put(key.getBytes(ISO_8859_1), value);
            writer.stream(rule);
            writer.publish();
          }
        }
        model = new TreeMap<>(model);
        model.put(key, value);
        versions.put(table.requireCurrentVersion(), model);
        if (random.nextInt(3) == 0) {
          compact();
        }
        for (String version : table.versions()) {
          versions.putIfAbsent(version, model);
        }
        last = checkpoint;
      }
      table.endStream("s");
    }
  }
}
