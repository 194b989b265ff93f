package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.compact.Compactor;
import io.bsdb.compact.StreamUpkeep;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.reader.diff.DiffModel;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.options.Verification;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.reload.Publish;
import io.bsdb.reload.TableReload;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** The kind of records in a table. */
  private enum Kind {
    BYTES,
    ROWS,
    HISTORY
  }

  /** A reload that has not been published yet. */
  private record PendingReload(TableReload reload, Map<String, byte[]> rows) {}

  /** One table. */
  private static final class Round {
    private static final RowCodec CODEC =
        RowCodec.of(
            Schema.builder()
                .column("item", "STRING")
                .column("since", "TIMESTAMP_LTZ(3)")
                .column("text", "STRING")
                .column("number", "BIGINT")
                .primaryKey("item", "since")
                .keyEncoding(KeyEncoding.ORDERED)
                .build());

    private final Path directory;
    private final Table table;
    private final Campaign campaign;
    private final Random random;
    private final Kind kind;
    private final int keys;

    /** Of readers that have a limit. */
    private final MemoryBudget memory = MemoryBudget.of(256 << 20, Duration.ofMillis(1));

    /** Builds that have not been published yet. */
    private final List<SnapshotWriter> pending = new ArrayList<>();

    private final List<PendingReload> pendingReloads = new ArrayList<>();

    /** What each complete version holds. */
    private final Map<String, TreeMap<String, byte[]>> versions = new HashMap<>();

    private TreeMap<String, byte[]> model = new TreeMap<>();
    private final List<String> steps = new ArrayList<>();

    Round(Path directory, Campaign campaign) {
      this.directory = directory;
      this.table = Table.at(directory);
      this.campaign = campaign;
      this.random = campaign.random();
      List<Kind> kinds = List.of(Kind.values());
      this.kind = kinds.get(random.nextInt(kinds.size()));
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
        throw new AssertionError(kind + ", " + following + " after " + steps, e);
      } finally {
        for (PendingReload pendingReload : pendingReloads) {
          pendingReload.reload.close();
        }
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
          beginRebuild();
        } else if (kind < 20) {
          publishRebuild();
        } else if (kind == 20) {
          rollback();
        } else if (kind == 21) {
          prune();
        } else if (kind == 22 && random.nextInt(4) == 0) {
          build();
        } else if (kind < 25) {
          reload();
        } else if (kind == 25) {
          beginReload();
        } else if (kind == 26) {
          publishReload();
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
        assertHolds(held.reader(), before, 5);
      }
      follower.refresh();
      try (TableReader.Lease lease = follower.lease()) {
        assertHolds(lease.reader(), model, 10);
        NavigableMap<String, byte[]> valid = valid();
        assertGets(follower, valid);
        if (lease.reader().manifest().order() == RecordOrder.KEY) {
          assertRanges(follower.ordered(), valid);
        }
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

    /** Returns what is there without ended rows. */
    private NavigableMap<String, byte[]> valid() {
      TreeMap<String, byte[]> valid = new TreeMap<>(model);
      if (kind == Kind.HISTORY) {
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

    private String key() {
      return key(random.nextInt(keys));
    }

    /** Returns a key whose bytes are the characters. */
    private String key(int number) {
      return kind == Kind.BYTES
          ? String.format(Locale.ROOT, "k%04d", number)
          : new String(
              CODEC.encodeKey("k" + number / 8, Instant.ofEpochMilli(number % 8 * 1000L - 4000)),
              ISO_8859_1);
    }

    private byte[] value() {
      if (kind == Kind.HISTORY && random.nextInt(4) == 0) {
        return RowWriter.ended();
      }
      int length = random.nextInt(300) == 0 ? random.nextInt(LONG_VALUE + 1) : random.nextInt(60);
      if (kind != Kind.BYTES) {
        String text = "abcdefgh".repeat(1 + length / 8).substring(random.nextInt(8));
        return CODEC.encodeValue(random.nextInt(5) == 0 ? null : text, random.nextLong());
      }
      byte[] value = new byte[length];
      Arrays.fill(value, (byte) random.nextInt());
      byte[] mark = Integer.toString(random.nextInt(), 36).getBytes(ISO_8859_1);
      System.arraycopy(mark, 0, value, 0, Math.min(mark.length, length));
      return value;
    }

    private WriterOptions options() {
      WriterOptions.Builder options = WriterOptions.builder();
      if (kind != Kind.BYTES) {
        options.schema(CODEC.schema());
      }
      List<Layout> layouts = List.of(Layout.values());
      if (kind == Kind.HISTORY) {
        options.history(null);
      }
      if (kind == Kind.HISTORY || random.nextBoolean()) {
        layouts = layouts.stream().filter(layout -> layout != Layout.SYMBOLS).toList();
        options.order(RecordOrder.KEY).pointIndex(random.nextInt(3) > 0);
      }
      Layout layout = layouts.get(random.nextInt(layouts.size()));
      PerfectHashConstruction[] hashes = PerfectHashConstruction.values();
      return options
          .layout(layout)
          .blockSize(random.nextBoolean() ? 4096 : random.nextInt(2) == 0 ? 65_536 : 5000)
          .frameSize(random.nextBoolean() ? 256 : 4096)
          .dictionaryBytes(random.nextBoolean() ? 0 : 1 << 16)
          .signatureBits(random.nextBoolean() ? 8 : random.nextInt(33))
          .perfectHash(hashes[random.nextInt(hashes.length)])
          .partitions(random.nextInt(5))
          .minRows(0)
          .build();
    }

    private static void fill(SnapshotWriter writer, Map<String, byte[]> content)
        throws IOException {
      for (Map.Entry<String, byte[]> record : content.entrySet()) {
        writer.add(record.getKey().getBytes(ISO_8859_1), record.getValue());
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
          String key = run ? key((first + i) % keys) : key();
          if (deletes || random.nextInt(3) == 0) {
            writer.delete(key.getBytes(ISO_8859_1));
            next.remove(key);
          } else {
            byte[] value = value();
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

    /** Replaces all rows by an input, like a build, but publishes what differs. */
    private void reload() throws IOException {
      Publish publish = publish();
      boolean last = random.nextBoolean();
      did("reload " + publish + (last ? " last" : " first"));
      TreeMap<String, byte[]> input = new TreeMap<>(model);
      for (int i = random.nextInt(random.nextBoolean() ? 4 : 2 * keys); i > 0; i--) {
        if (random.nextBoolean()) {
          input.remove(key());
        } else {
          input.put(key(), value());
        }
      }
      List<String> shuffled = new ArrayList<>(input.keySet());
      Collections.shuffle(shuffled, random);
      WriterOptions options =
          likeInService().duplicates(last ? Duplicates.LAST : Duplicates.FIRST).build();
      try (TableReload reload = TableReload.begin(directory, options, publish)) {
        for (String key : shuffled) {
          byte[] bytes = key.getBytes(ISO_8859_1);
          boolean twice = random.nextInt(10) == 0;
          if (twice && last) {
            reload.add(bytes, value());
          }
          reload.add(bytes, Objects.requireNonNull(input.get(key)));
          if (twice && !last) {
            reload.add(bytes, value());
          }
        }
        reload.publish();
      }
      model = input;
    }

    /** Rows of a history cannot be compared. */
    private Publish publish() {
      List<Publish> all = List.of(Publish.values());
      Publish publish = all.get(random.nextInt(all.size()));
      return kind == Kind.HISTORY && publish == Publish.CHANGES ? Publish.AUTO : publish;
    }

    private WriterOptions.Builder likeInService() throws IOException {
      return WriterOptions.like(table.manifest(table.requireCurrentVersion())).toBuilder()
          .minRows(0);
    }

    /** Begins a reload with the rows of a version, which keeps what is changed after it. */
    private void beginReload() throws IOException {
      List<String> all = table.versions();
      String version =
          random.nextBoolean()
              ? table.requireCurrentVersion()
              : all.get(random.nextInt(all.size()));
      Publish publish = publish();
      did("begin-reload %s %s".formatted(version.substring(0, 10), publish));
      try {
        TableReload reload =
            TableReload.beginAsOf(version, directory, likeInService().build(), publish);
        pendingReloads.add(new PendingReload(reload, content(version)));
      } catch (PublishConflictException refused) {
        campaign.count("refused");
      }
    }

    private void publishReload() throws IOException {
      if (pendingReloads.isEmpty()) {
        return;
      }
      PendingReload pendingReload = pendingReloads.remove(random.nextInt(pendingReloads.size()));
      did("publish-reload");
      try (TableReload reload = pendingReload.reload) {
        for (Map.Entry<String, byte[]> row : pendingReload.rows.entrySet()) {
          reload.add(row.getKey().getBytes(ISO_8859_1), row.getValue());
        }
        reload.publish();
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
                String key = key();
                byte[] value = value();
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
        String key = key();
        byte[] value = value();
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

    private void assertHolds(
        SnapshotReader version, NavigableMap<String, byte[]> content, int lookups)
        throws IOException {
      SnapshotReader reader = version.allVersions();
      RecordOrder order = reader.manifest().order();
      assertGets(reader, content);
      List<byte @Nullable []> expected = new ArrayList<>();
      List<byte[]> asked = new ArrayList<>();
      for (int i = 0; i < lookups; i++) {
        String key = key();
        byte[] bytes = key.getBytes(ISO_8859_1);
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
          if (kind == Kind.BYTES) {
            assertKey(
                ordered.longestPrefix((key + "x").getBytes(ISO_8859_1)),
                content.containsKey(key) ? key : null,
                "longest prefix of " + key + "x");
          }
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
          found.add(new String(record.key(), ISO_8859_1));
        }
        assertThat(found)
            .containsExactlyElementsOf(
                content.tailMap(new String(asked.get(0), ISO_8859_1), true).keySet().stream()
                    .limit(30)
                    .toList());
      }
    }

    private void assertGets(KeyLookup lookup, Map<String, byte[]> content) throws IOException {
      List<byte[]> asked = new ArrayList<>();
      List<byte @Nullable []> expected = new ArrayList<>();
      for (int i = random.nextInt(70); i > 0; i--) {
        String key = key();
        asked.add(key.getBytes(ISO_8859_1));
        expected.add(content.get(key));
      }
      assertThat(lookup.getAll(asked)).containsExactlyElementsOf(expected);
      assertThat(lookup.getAll(asked, Answers.BY_BYTES)).containsExactlyElementsOf(expected);
      String key = key();
      assertThat(lookup.get(key.getBytes(ISO_8859_1))).isEqualTo(content.get(key));
    }

    private void assertRanges(OrderedReader ordered, NavigableMap<String, byte[]> content)
        throws IOException {
      String from = key();
      String to = key();
      KeyRange range =
          KeyRange.all().from(from.getBytes(ISO_8859_1)).before(to.getBytes(ISO_8859_1));
      NavigableMap<String, byte[]> expected =
          from.compareTo(to) < 0 ? content.subMap(from, true, to, false) : new TreeMap<>();
      boolean reversed = random.nextBoolean();
      List<String> found = new ArrayList<>();
      try (RecordCursor cursor = ordered.range(reversed ? range.reversed() : range)) {
        while (cursor.next()) {
          String key = new String(cursor.key(), ISO_8859_1);
          found.add(key);
          assertThat(cursor.value()).as("in a range: %s", key).isEqualTo(content.get(key));
        }
      }
      assertThat(found)
          .containsExactlyElementsOf((reversed ? expected.descendingMap() : expected).keySet());
    }

    private static void assertKey(
        @Nullable KeyValue found, @Nullable String expected, String what) {
      assertThat(found == null ? null : new String(found.key(), ISO_8859_1))
          .as(what)
          .isEqualTo(expected);
    }

    private static void assertScans(SnapshotReader reader, Map<String, byte[]> content)
        throws IOException {
      List<String> found = new ArrayList<>();
      try (RecordCursor cursor = reader.allVersions().scan()) {
        while (cursor.next()) {
          String key = new String(cursor.key(), ISO_8859_1);
          found.add(key);
          assertThat(cursor.value()).as("scan %s", key).isEqualTo(content.get(key));
        }
      }
      assertThat(found).containsExactlyInAnyOrderElementsOf(content.keySet());
    }
  }
}
