package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.compact.Compactor;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.options.Verification;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.testkit.InService;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots of every kind, damaged at random, then asked for every key: the right value or one of
 * our exceptions. {@code mvn test -Pdamage -Dcampaign.minutes=60}
 */
@Tag("damage")
class DamageCampaignTest {
  private static final Duration LONGEST_ROUND = Duration.ofSeconds(60);
  private static final List<Access> ACCESSES = List.of(Access.values());
  private static final int PAGE = 4096;

  @TempDir Path directory;
  private final Campaign campaign = Campaign.start("damage");

  /** How a snapshot is built. */
  private record Kind(
      Layout layout,
      PerfectHashConstruction hash,
      boolean approximate,
      boolean changed,
      RecordOrder order,
      Lengths lengths) {}

  /**
   * A sound snapshot.
   *
   * @param absent keys that it has no more
   * @param files by path
   * @param others files of this version and the one before
   */
  private record Victim(
      TestData data,
      List<byte[]> absent,
      String version,
      Map<String, byte[]> files,
      List<byte[]> others) {}

  @Test
  void damageIsNeverAnAnswer() throws Exception {
    List<Kind> kinds = kinds();
    Map<Kind, Victim> victims = new HashMap<>();
    try (campaign) {
      while (campaign.nextRound()) {
        Random random = campaign.random();
        Kind kind = kinds.get(random.nextInt(kinds.size()));
        if (!victims.containsKey(kind)) {
          victims.put(kind, victim(kind));
        }
        Victim victim = victims.get(kind);
        Path table = Files.createDirectory(directory.resolve("damaged"));
        Map<String, byte[]> files = new TreeMap<>(victim.files);
        List<String> damage = new ArrayList<>(List.of(kind.toString()));
        for (int i = random.nextInt(3); i >= 0; i--) {
          damage.add(damage(files, victim.others, random));
        }
        Files.writeString(table.resolve("CURRENT"), victim.version + "\n");
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
          Path path = table.resolve(file.getKey());
          Files.createDirectories(path.getParent());
          Files.write(path, file.getValue());
        }
        ReaderOptions options = options(random);
        String what = "seed %d: %s read with %s".formatted(campaign.seed(), damage, options);
        Assertions.assertTimeoutPreemptively(
            LONGEST_ROUND, () -> read(table, options, victim, what), what);
        campaign.count("damaged snapshots");
        DirectoryTree.delete(table);
      }
    }
  }

  private static List<Kind> kinds() {
    List<Kind> kinds = new ArrayList<>();
    for (Layout layout : Layout.values()) {
      for (PerfectHashConstruction hash : PerfectHashConstruction.values()) {
        for (boolean approximate : new boolean[] {false, true}) {
          for (Lengths lengths : Lengths.values()) {
            kinds.add(new Kind(layout, hash, approximate, false, RecordOrder.HASH, lengths));
            if (!approximate) {
              kinds.add(new Kind(layout, hash, false, true, RecordOrder.HASH, lengths));
            }
            if (!approximate && layout != Layout.SYMBOLS) {
              kinds.add(new Kind(layout, hash, false, false, RecordOrder.KEY, lengths));
            }
          }
        }
      }
    }
    return kinds;
  }

  private Victim victim(Kind kind) throws IOException {
    Path table = directory.resolve(kind.toString());
    WriterOptions.Builder options =
        WriterOptions.builder()
            .order(kind.order)
            .layout(kind.layout)
            .perfectHash(kind.hash)
            .partitions(3);
    Lengths lengths = kind.lengths;
    if (kind.approximate) {
      options.approximate().signatureBits(32);
    }
    TestData older = TestData.random(1, 400, lengths, lengths, 90);
    TestData data = TestData.random(1, 400, lengths, lengths, 90);
    for (int i = 0; i < data.count(); i++) { // same keys and lengths, other values
      byte[] value = data.values().get(i);
      for (int j = 0; j < value.length; j++) {
        value[j] ^= (byte) 0x55;
      }
    }
    Map<String, byte[]> olderFiles = files(table, older.publish(table, options.build()));
    Manifest manifest = data.publish(table, options.build());
    List<byte[]> absent = data.absentKeys(20);
    if (kind.changed) {
      List<byte[]> others = new ArrayList<>(files(table, manifest).values());
      TestData changed = data;
      for (int round = 0; round < 3; round++) {
        changed = change(table, changed, round, absent);
        others.addAll(files(table, InService.of(table)).values());
      }
      Manifest last = InService.of(table);
      return new Victim(changed, absent, last.version(), files(table, last), others);
    }
    Map<String, byte[]> files = files(table, manifest);
    List<byte[]> others = new ArrayList<>(olderFiles.values());
    others.addAll(files.values());
    return new Victim(data, absent, manifest.version(), files, others);
  }

  /** Changes some keys and deletes others; the first changes are folded in part of the files. */
  private static TestData change(Path table, TestData data, int round, List<byte[]> absent)
      throws IOException {
    TestData changed = TestData.empty();
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
      for (int i = 0; i < data.count(); i++) {
        byte[] key = data.keys().get(i);
        byte[] value = data.values().get(i).clone();
        switch ((i + round) % 5) {
          case 0 -> {
            writer.delete(key);
            absent.add(key);
          }
          case 1 -> {
            for (int j = 0; j < value.length; j++) {
              value[j] = (byte) (value[j] + 1);
            }
            writer.put(key, value);
            changed.add(key, value);
          }
          default -> changed.add(key, value);
        }
      }
      writer.publish();
    }
    if (round == 0) {
      new Compactor(table).foldFraction(0.41).run();
    }
    return changed;
  }

  /** Returns the files of a version, by their paths in the table. */
  private static Map<String, byte[]> files(Path table, Manifest manifest) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (String file : manifest.files()) {
      files.put(file, Files.readAllBytes(table.resolve(file)));
    }
    String file = "snapshots/%s/manifest.json".formatted(manifest.version());
    files.put(file, Files.readAllBytes(table.resolve(file)));
    return files;
  }

  /** Damages a file; the result says how. */
  private static String damage(Map<String, byte[]> files, List<byte[]> others, Random random) {
    List<String> names = List.copyOf(files.keySet());
    String name = names.get(random.nextInt(names.size()));
    String second = names.get(random.nextInt(names.size()));
    byte[] bytes = files.get(name).clone();
    byte[] other = others.get(random.nextInt(others.size()));
    int page = PAGE >> random.nextInt(4);
    int pages = (bytes.length + page - 1) / page;
    int at = pages == 0 ? 0 : random.nextInt(pages) * page;
    int from = pages == 0 ? 0 : random.nextInt(pages) * page;
    int length = Math.min(page, bytes.length - at);
    String what;
    switch (random.nextInt(9)) {
      case 0 -> {
        int bits = 1 << random.nextInt(6);
        for (int i = 0; i < bits && bytes.length > 0; i++) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        what = bits + " bits flipped";
      }
      case 1 -> {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        what = "cut to " + bytes.length;
      }
      case 2 -> {
        Arrays.fill(bytes, at, at + length, (byte) 0);
        what = "%d zeros at %d".formatted(length, at);
      }
      case 3 -> {
        int count = Math.min(length, bytes.length - from);
        System.arraycopy(bytes, from, bytes, at, count);
        what = "%d bytes at %d copied to %d".formatted(count, from, at);
      }
      case 4 -> {
        int count = Math.max(0, Math.min(length, other.length - at));
        System.arraycopy(other, Math.min(at, other.length), bytes, at, count);
        what = "%d bytes at %d from another file".formatted(count, at);
      }
      case 5 -> {
        bytes = other;
        what = "replaced by another file";
      }
      case 6 -> {
        bytes = files.put(second, bytes);
        what = "swapped with " + second;
      }
      case 7 -> {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, bytes, at, length);
        what = "%d random bytes at %d".formatted(length, at);
      }
      default -> {
        int more = 1 + random.nextInt(page);
        bytes = Arrays.copyOf(bytes, bytes.length + more);
        what = more + " zeros after the end";
      }
    }
    files.put(name, bytes);
    return name + " " + what;
  }

  private static ReaderOptions options(Random random) {
    return ReaderOptions.builder()
        .access(ACCESSES.get(random.nextInt(ACCESSES.size())))
        .blockCacheBytes(random.nextInt(3) * 20_000L)
        .queueDepth(8)
        .signatures(random.nextBoolean() ? SignatureUse.AUTO : SignatureUse.ALWAYS)
        .verification(random.nextInt(8) == 0 ? Verification.FULL : Verification.METADATA)
        .build();
  }

  private void read(Path table, ReaderOptions options, Victim victim, String what) {
    TestData data = victim.data;
    try (SnapshotReader reader = SnapshotReader.open(table, options)) {
      campaign.count("opened");
      ByteBuffer target = ByteBuffer.allocate(200);
      for (int i = 0; i < data.count(); i++) {
        byte[] key = data.keys().get(i);
        byte[] expected = data.values().get(i);
        ask(what, expected, () -> reader.get(key));
        ask(
            what,
            expected,
            () -> {
              int length = reader.get(key, target.clear());
              return length < 0 ? null : Arrays.copyOf(target.array(), length);
            });
      }
      for (int i = 0; i + 16 <= data.count(); i += 16) {
        List<byte[]> keys = data.keys().subList(i, i + 16);
        int first = i;
        ask(
            what,
            new byte[0],
            () -> {
              List<byte[]> values = reader.getAll(keys);
              for (int j = 0; j < keys.size(); j++) {
                assertThat(values.get(j)).as(what).isEqualTo(data.values().get(first + j));
              }
              return new byte[0];
            });
      }
      for (byte[] key : victim.absent) {
        ask(what, null, () -> reader.get(key));
      }
      if (reader.manifest().order() == RecordOrder.KEY) {
        readByOrder(reader.ordered(), data, what);
      }
    } catch (Throwable e) {
      assertRefusal(what, e);
      campaign.count("refused to open");
    }
  }

  private void readByOrder(OrderedReader reader, TestData data, String what) {
    TreeMap<byte[], byte[]> records = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < data.count(); i++) {
      records.put(data.keys().get(i), data.values().get(i));
    }
    for (byte[] key : records.keySet()) {
      byte[] above = Arrays.copyOf(key, key.length + 1);
      ask(what, key, () -> keyOf(reader.floor(key)));
      ask(what, key, () -> keyOf(reader.longestPrefix(above)));
      ask(what, records.higherKey(above), () -> keyOf(reader.ceiling(above)));
      ask(what, records.lowerKey(key), () -> keyOf(reader.lower(key)));
    }
    for (KeyRange range : List.of(KeyRange.all(), KeyRange.all().reversed())) {
      ask(what, new byte[0], () -> walk(reader.range(range), records.size()));
    }
  }

  private static byte[] keyOf(KeyValue found) {
    return found == null ? null : found.key();
  }

  /** Walks as far as it goes; nothing is missing between the records that come. */
  private static byte[] walk(RecordCursor cursor, int expected) throws IOException {
    try (cursor) {
      int records = 0;
      while (cursor.next()) {
        cursor.value();
        records++;
      }
      assertThat(records).isEqualTo(expected);
    }
    return new byte[0];
  }

  private interface Question {
    byte[] answer() throws IOException;
  }

  private void ask(String what, byte[] expected, Question question) {
    campaign.count("lookups");
    byte[] answer;
    try {
      answer = question.answer();
    } catch (Throwable e) {
      assertRefusal(what, e);
      campaign.count("refusals");
      return;
    }
    if (!Arrays.equals(answer, expected)) {
      assertThat(answer).as(what).isEqualTo(expected);
    }
    campaign.count("right answers");
  }

  private static void assertRefusal(String what, Throwable e) {
    if (e instanceof AssertionError error) {
      throw error;
    }
    if (!(e instanceof CorruptSnapshotException
        || e instanceof UnsupportedVersionException
        || e instanceof NoSuchFileException)) {
      throw new AssertionError(what, e);
    }
  }
}
