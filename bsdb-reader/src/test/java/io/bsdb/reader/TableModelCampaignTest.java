package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.compact.Compactor;
import io.bsdb.compact.StreamUpkeep;
import io.bsdb.reader.diff.DiffModel;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.options.Verification;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
  private static final int LONG_VALUE = 1 << 20;

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
    private final RecordOrder order;
    private final int keys;

    /** Of readers that have a limit. */
    private final MemoryBudget memory = MemoryBudget.of(256 << 20, Duration.ofMillis(1));

    /** Builds that have not been published yet. */
    private final List<SnapshotWriter> pending = new ArrayList<>();

    /** What each complete version holds. */
    private final Map<String, TreeMap<String, byte[]>> versions = new HashMap<>();

    private TreeMap<String, byte[]> model = new TreeMap<>();
    private final List<String> steps = new ArrayList<>();

    Round(Path directory, Campaign campaign) {
      this.directory = directory;
      this.table = Table.at(directory);
      this.campaign = campaign;
      this.random = campaign.random();
      this.order = random.nextBoolean() ? RecordOrder.HASH : RecordOrder.KEY;
      this.keys = 1 + random.nextInt(random.nextBoolean() ? 20 : 400);
    }

    void run() throws IOException {
      build();
      ReaderOptions following = reading();
      Path copies = directory.resolveSibling("followed");
      try (TableReader follower = follow(TableReader.builder(directory), following);
          TableReader copied =
              follow(TableReader.builder(table).localDirectory(copies), following)) {
        for (int i = 0; i < STEPS; i++) {
          step(follower);
          if (random.nextInt(3) == 0) {
            copied.refresh();
            try (TableReader.Lease lease = copied.lease()) {
              assertHolds(lease.reader(), model, 5);
            }
          }
        }
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError(order + ", " + following + " after " + steps, e);
      } finally {
        for (SnapshotWriter build : pending) {
          build.close();
        }
      }
      delete(copies);
      SnapshotVerifier.verify(
          directory.resolve("snapshots").resolve(table.requireCurrentVersion()));
    }

    private static TableReader follow(TableReader.Builder builder, ReaderOptions options)
        throws IOException {
      return builder.options(options).refreshEvery(Duration.ZERO).open();
    }

    /** Returns any way to read. */
    private ReaderOptions reading() {
      ReaderOptions.Builder options =
          ReaderOptions.builder()
              .access(any(Access.values()))
              .verification(any(Verification.values()))
              .warmUp(any(WarmUp.values()))
              .signatures(any(SignatureUse.values()))
              .queueDepth(1 + random.nextInt(8))
              .blockCacheBytes(random.nextBoolean() ? 0 : 1L << random.nextInt(20));
      return (random.nextInt(3) == 0 ? options.memory(memory) : options).build();
    }

    private <T> T any(T[] values) {
      return values[random.nextInt(values.length)];
    }

    private void step(TableReader follower) throws IOException {
      int kind = random.nextInt(24);
      try (TableReader.Lease held = follower.lease()) {
        TreeMap<String, byte[]> before = model;
        if (kind < 10) {
          change();
        } else if (kind < 14) {
          compact();
        } else if (kind < 16) {
          merge();
        } else if (kind < 18) {
          beginRebuild();
        } else if (kind < 20) {
          publishRebuild();
        } else if (kind == 20) {
          rollback();
        } else if (kind == 21) {
          prune();
        } else if (kind == 22 && random.nextInt(4) == 0) {
          build();
        } else {
          did("sweep");
          table.sweep(Duration.ZERO);
        }
        for (String version : table.versions()) { // a compaction may publish two
          versions.putIfAbsent(version, model);
        }
        assertHolds(held.reader(), before, 5);
      }
      follower.refresh();
      try (TableReader.Lease lease = follower.lease()) {
        assertHolds(lease.reader(), model, 10);
      }
      assertGets(follower, model);
      if (order == RecordOrder.KEY) {
        assertRanges(follower.ordered(), model);
      }
      try (SnapshotReader reader = SnapshotReader.open(directory, reading())) {
        assertHolds(reader, model, 5);
        assertScans(reader, model);
      }
      if (random.nextInt(4) == 0) {
        List<String> all = table.versions();
        String first = all.get(random.nextInt(all.size()));
        String second = all.get(random.nextInt(all.size()));
        new DiffModel(directory, random).check(first, content(first), second, content(second));
        campaign.count("compared");
      }
    }

    private Map<String, byte[]> content(String version) {
      return Objects.requireNonNull(versions.get(version));
    }

    private void did(String step) {
      steps.add(step);
      campaign.count(step.split(" ", 2)[0]);
    }

    private String key() {
      return String.format(Locale.ROOT, "k%04d", random.nextInt(keys));
    }

    private byte[] value() {
      int length = random.nextInt(300) == 0 ? random.nextInt(LONG_VALUE + 1) : random.nextInt(60);
      byte[] value = new byte[length];
      Arrays.fill(value, (byte) random.nextInt());
      byte[] mark = Integer.toString(random.nextInt(), 36).getBytes(US_ASCII);
      System.arraycopy(mark, 0, value, 0, Math.min(mark.length, length));
      return value;
    }

    private WriterOptions options() {
      List<Layout> layouts =
          order == RecordOrder.HASH
              ? List.of(Layout.values())
              : List.of(Layout.BLOCKED, Layout.COMPACT, Layout.COMPRESSED);
      return WriterOptions.builder()
          .order(order)
          .layout(layouts.get(random.nextInt(layouts.size())))
          .partitions(1 + random.nextInt(4))
          .minRows(0)
          .build();
    }

    private static void fill(SnapshotWriter writer, Map<String, byte[]> content)
        throws IOException {
      for (Map.Entry<String, byte[]> record : content.entrySet()) {
        writer.add(record.getKey().getBytes(US_ASCII), record.getValue());
      }
    }

    private void build() throws IOException {
      did("build");
      model = new TreeMap<>();
      for (int i = random.nextInt(2 * keys); i > 0; i--) {
        model.put(key(), value());
      }
      try (SnapshotWriter writer = SnapshotWriter.create(directory, options())) {
        fill(writer, model);
        writer.publish();
      }
      versions.put(table.requireCurrentVersion(), model);
    }

    private void change() throws IOException {
      TreeMap<String, byte[]> next = new TreeMap<>(model);
      try (DeltaWriter writer = DeltaWriter.create(table)) {
        int changes = 1 + random.nextInt(random.nextInt(4) == 0 ? 2 * keys : 8);
        boolean deletes = random.nextInt(6) == 0;
        boolean run = random.nextInt(3) == 0;
        int first = random.nextInt(keys);
        for (int i = 0; i < changes; i++) {
          String key = run ? String.format(Locale.ROOT, "k%04d", (first + i) % keys) : key();
          if (deletes || random.nextInt(3) == 0) {
            writer.delete(key.getBytes(US_ASCII));
            next.remove(key);
          } else {
            byte[] value = value();
            writer.put(key.getBytes(US_ASCII), value);
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

    /** Begins a build whose data is that of a version, or newer. */
    private void beginRebuild() throws IOException {
      List<String> all = table.versions();
      String version =
          random.nextBoolean()
              ? table.requireCurrentVersion()
              : all.get(random.nextInt(all.size()));
      did("begin-rebuild " + version.substring(0, 10));
      SnapshotWriter writer = SnapshotWriter.createAsOf(version, directory, options());
      fill(writer, versions.get(version));
      pending.add(writer);
    }

    private void publishRebuild() throws IOException {
      if (pending.isEmpty()) {
        return;
      }
      try (SnapshotWriter writer = pending.remove(random.nextInt(pending.size()))) {
        did("rebuild");
        writer.publish();
        campaign.count("accepted");
      } catch (PublishConflictException refused) {
        campaign.count("refused");
      }
    }

    private void rollback() throws IOException {
      List<String> all = table.versions();
      String version = all.get(random.nextInt(all.size()));
      did("rollback " + version.substring(0, 10));
      table.rollback(version);
      model = versions.get(version);
    }

    private void prune() throws IOException {
      int keep = 1 + random.nextInt(3);
      did("prune " + keep);
      versions.keySet().removeAll(table.prune(keep));
    }

    private void assertHolds(
        SnapshotReader reader, NavigableMap<String, byte[]> content, int lookups)
        throws IOException {
      assertGets(reader, content);
      List<byte @Nullable []> expected = new ArrayList<>();
      List<byte[]> asked = new ArrayList<>();
      for (int i = 0; i < lookups; i++) {
        String key = key();
        byte[] bytes = key.getBytes(US_ASCII);
        asked.add(bytes);
        expected.add(content.get(key));
        assertThat(reader.get(bytes)).as("get %s", key).isEqualTo(content.get(key));
        assertThat(reader.get(bytes, Answers.BY_BYTES)).isEqualTo(content.get(key));
        assertThat(reader.async().get(bytes).join()).isEqualTo(content.get(key));
        if (order == RecordOrder.KEY) {
          OrderedReader ordered = reader.ordered();
          AsyncOrderedReader later = reader.async().ordered();
          assertKey(later.floor(bytes).join(), content.floorKey(key), "later floor of " + key);
          assertKey(later.ceiling(bytes).join(), content.ceilingKey(key), "later above " + key);
          assertKey(
              ordered.longestPrefix((key + "x").getBytes(US_ASCII)),
              content.containsKey(key) ? key : null,
              "longest prefix of " + key + "x");
          assertKey(ordered.floor(bytes), content.floorKey(key), "floor of " + key);
          assertKey(ordered.ceiling(bytes), content.ceilingKey(key), "ceiling of " + key);
          assertKey(ordered.lower(bytes), content.lowerKey(key), "lower than " + key);
          assertKey(ordered.higher(bytes), content.higherKey(key), "higher than " + key);
        }
      }
      assertThat(reader.async().getAll(asked).join()).containsExactlyElementsOf(expected);
      if (order == RecordOrder.KEY) {
        assertRanges(reader.ordered(), content);
        KeyRange first = KeyRange.all().from(asked.get(0));
        List<String> found = new ArrayList<>();
        for (KeyValue record : reader.async().ordered().range(first, 30).join()) {
          found.add(new String(record.key(), US_ASCII));
        }
        assertThat(found)
            .containsExactlyElementsOf(
                content.tailMap(new String(asked.get(0), US_ASCII), true).keySet().stream()
                    .limit(30)
                    .toList());
      }
    }

    private void assertGets(KeyLookup lookup, Map<String, byte[]> content) throws IOException {
      List<byte[]> asked = new ArrayList<>();
      List<byte @Nullable []> expected = new ArrayList<>();
      for (int i = random.nextInt(70); i > 0; i--) {
        String key = key();
        asked.add(key.getBytes(US_ASCII));
        expected.add(content.get(key));
      }
      assertThat(lookup.getAll(asked)).containsExactlyElementsOf(expected);
      assertThat(lookup.getAll(asked, Answers.BY_BYTES)).containsExactlyElementsOf(expected);
      String key = key();
      assertThat(lookup.get(key.getBytes(US_ASCII))).isEqualTo(content.get(key));
    }

    private void assertRanges(OrderedReader ordered, NavigableMap<String, byte[]> content)
        throws IOException {
      String from = key();
      String to = key();
      KeyRange range = KeyRange.all().from(from.getBytes(US_ASCII)).before(to.getBytes(US_ASCII));
      NavigableMap<String, byte[]> expected =
          from.compareTo(to) < 0 ? content.subMap(from, true, to, false) : new TreeMap<>();
      boolean reversed = random.nextBoolean();
      List<String> found = new ArrayList<>();
      try (RecordCursor cursor = ordered.range(reversed ? range.reversed() : range)) {
        while (cursor.next()) {
          String key = new String(cursor.key(), US_ASCII);
          found.add(key);
          assertThat(cursor.value()).as("in a range: %s", key).isEqualTo(content.get(key));
        }
      }
      assertThat(found)
          .containsExactlyElementsOf((reversed ? expected.descendingMap() : expected).keySet());
    }

    private static void assertKey(
        @Nullable KeyValue found, @Nullable String expected, String what) {
      assertThat(found == null ? null : new String(found.key(), US_ASCII))
          .as(what)
          .isEqualTo(expected);
    }

    private static void assertScans(SnapshotReader reader, Map<String, byte[]> content)
        throws IOException {
      List<String> found = new ArrayList<>();
      try (RecordCursor cursor = reader.scan()) {
        while (cursor.next()) {
          String key = new String(cursor.key(), US_ASCII);
          found.add(key);
          assertThat(cursor.value()).as("scan %s", key).isEqualTo(content.get(key));
        }
      }
      assertThat(found).containsExactlyInAnyOrderElementsOf(content.keySet());
    }
  }
}
