package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.io.FileMemory;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Simulates a power loss before each file operation of publishing and folding, in the log and in
 * the versions, and opens what is left.
 */
class CrashImagesOfVersionsTest {
  private static final int SEGMENT_LENGTH = 2048;
  private static final int CHANGES = 24;
  private static final int KEYS = 9;

  @TempDir Path directory;

  /** One of so many images is checked, from a random one on; a campaign checks all. */
  private static final int SAMPLE = 5;

  private record Image(Path table, int begun, int promised, String operation) {}

  private final List<String> operations = new ArrayList<>();
  private final List<Image> images = new ArrayList<>();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger promised = new AtomicInteger();

  private static Map<String, String> base() {
    Map<String, String> base = new HashMap<>();
    for (int i = 0; i < 2 * KEYS; i++) {
      base.put("key" + i, "base" + i);
    }
    return base;
  }

  /** Returns the expected content after the first changes. */
  private static Map<String, String> model(int changes) {
    Map<String, String> model = base();
    for (int i = 0; i < changes; i++) {
      model.put("key" + i % KEYS, "value" + i + "x".repeat(i * 37 % 200));
      model.remove("key" + (i + 4) % KEYS);
    }
    return model;
  }

  private static void write(WritableTable table, int i) throws IOException {
    table.write(
        new WriteBatch()
            .put(bytes("key" + i % KEYS), bytes("value" + i + "x".repeat(i * 37 % 200)))
            .delete(bytes("key" + (i + 4) % KEYS)));
  }

  private static Map<String, String> lookups(WritableTable table) throws IOException {
    Map<String, String> content = new HashMap<>();
    for (int i = 0; i < 2 * KEYS; i++) {
      byte[] value = table.get(bytes("key" + i));
      if (value != null) {
        content.put("key" + i, text(value));
      }
    }
    return content;
  }

  @ParameterizedTest
  @EnumSource
  void theTableHasWhatWasPromised(Durability durability) throws IOException {
    crash(durability, LiveTable.Place.WHEN_ASKED, SAMPLE);
  }

  @ParameterizedTest
  @EnumSource
  void theTableHasWhatWasPromisedWhenFullSegmentsArePublished(Durability durability)
      throws IOException {
    crash(durability, 1, SAMPLE);
  }

  @Tag("kills")
  @ParameterizedTest
  @EnumSource
  void theTableHasWhatWasPromisedInEachImage(Durability durability) throws IOException {
    crash(durability, LiveTable.Place.WHEN_ASKED, 1);
  }

  @Tag("kills")
  @ParameterizedTest
  @EnumSource
  void theTableHasWhatWasPromisedInEachImageWhenFullSegmentsArePublished(Durability durability)
      throws IOException {
    crash(durability, 1, 1);
  }

  private void crash(Durability durability, int publishedSegments, int sample) throws IOException {
    long seed = Long.getLong("campaign.seed", System.nanoTime());
    System.out.println("crashes amid publishing and folding: -Dcampaign.seed=" + seed);
    Random random = new Random(seed);
    int first = random.nextInt(sample);
    Path path = directory.resolve("table");
    build(path);
    Files.createDirectories(path.resolve("log"));
    CrashingFiles files = new CrashingFiles(path);
    CrashingStorage.Listener listener =
        (operation, name) -> crash(files, operation + " " + name, random, first, sample);
    try (WritableTable table =
        LiveTable.open(
            path,
            WritableOptions.defaults().withDurability(durability),
            new LiveTable.Place(
                log -> new CrashingStorage(log, listener, files, "log/"),
                root -> new CrashingTable(Table.at(root).storage(), listener, files),
                SEGMENT_LENGTH,
                publishedSegments))) {
      for (int i = 0; i < CHANGES; i++) {
        begun.set(i + 1);
        write(table, i);
        if (durability == Durability.COMMIT) {
          promised.set(i + 1);
        }
        if (i == CHANGES / 4) {
          table.publish();
          promised.set(i + 1);
        } else if (i % (CHANGES / 2) == CHANGES / 2 - 1) {
          table.compact();
          promised.set(i + 1);
          Table.of(new CrashingTable(Table.at(path).storage(), listener, files)).prune(1);
        }
      }
    }
    assertThat(operations).contains("replace CURRENT", "replaced CURRENT", "sync data");
    assertThat(operations).anyMatch(each -> each.matches("link data/.*\\.seg"));
    assertThat(operations).anyMatch(each -> each.matches("commit snapshots/.*\\.bsdb"));
    assertThat(images).hasSize((operations.size() - first - 1) / sample + 1);
    for (int i = 0; i < images.size(); i++) {
      check(images.get(i), i % 4 == 0, "seed " + seed + " " + images.get(i));
    }
    assertThat(FileMemory.openCount()).isZero();
  }

  private static void build(Path path) throws IOException {
    Records.of(base()).publish(path, WriterOptions.builder().partitions(2).build());
  }

  private void crash(CrashingFiles files, String operation, Random random, int first, int sample)
      throws IOException {
    synchronized (images) {
      operations.add(operation);
      if ((operations.size() - 1) % sample != first) {
        return;
      }
      Path table = directory.resolve("image" + images.size());
      int before = promised.get();
      files.crash(table, random); // others may write meanwhile
      images.add(new Image(table, begun.get(), before, operation));
      Files.copy(directory.resolve("table/log/OWNER"), table.resolve("log/OWNER"));
    }
  }

  private static WritableTable open(Path table) throws IOException {
    return LiveTable.open(
        table,
        WritableOptions.defaults(),
        Places.onDisk(SEGMENT_LENGTH, LiveTable.Place.WHEN_ASKED));
  }

  private static void check(Image image, boolean compact, String what) throws IOException {
    List<Map<String, String>> possible = new ArrayList<>();
    for (int changes = image.promised; changes <= image.begun; changes++) {
      possible.add(model(changes));
    }
    Table versions = Table.at(image.table);
    for (String version : versions.versions()) {
      for (String file : versions.manifest(version).filesToKeep()) {
        assertThat(image.table.resolve(file)).as(what).exists();
      }
    }
    Map<String, String> content;
    try (WritableTable table = open(image.table)) {
      content = lookups(table);
      assertThat(possible).as(what).contains(content);
      assertThat(Contents.of(table.cursor())).as(what).isEqualTo(content);
    } catch (IOException e) {
      throw new IOException(what, e);
    }
    if (compact) {
      try (WritableTable again = open(image.table)) {
        assertThat(lookups(again)).as(what).isEqualTo(content);
        again.compact();
        assertThat(Contents.of(again.cursor())).as(what).isEqualTo(content);
      }
    }
  }
}
