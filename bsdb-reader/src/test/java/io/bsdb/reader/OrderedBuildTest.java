package io.bsdb.reader;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Builds of tables in key order: more than fits the memory, duplicates, and what is refused. */
class OrderedBuildTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private static WriterOptions.Builder options() {
    return WriterOptions.builder().order(RecordOrder.KEY);
  }

  /** Returns nine digits; a formatter would take longer than all else. */
  private static String key(int i) {
    return Integer.toString(1_000_000_000 + i).substring(1);
  }

  @ParameterizedTest
  @EnumSource(Duplicates.class)
  void mergesRunsThatDoNotFitTheMemory(Duplicates duplicates) throws Exception {
    int count = 250_000;
    Random random = new Random(5);
    byte[] padding = new byte[80];
    WriterOptions options =
        options()
            .memoryBytes(WriterOptions.MIN_MEMORY_BYTES) // some runs
            .duplicates(duplicates)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int i = 0; i < count; i++) {
        // Each number once, in an order that goes up and down; multiplication by an odd constant.
        int number = (int) (i * 2654435761L % count + count) % count;
        random.nextBytes(padding);
        writer.add(bytes(key(number)), bytes("first-" + number + " " + padding.length));
        writer.add(bytes(key(number) + "x"), padding);
      }
      if (duplicates != Duplicates.FAIL) {
        for (int i = 0; i < count; i += 1000) {
          writer.add(bytes(key(i)), bytes("last-" + i));
        }
        writer.publish();
      } else {
        writer.add(bytes(key(count / 2)), bytes("again"));
        assertThatThrownBy(writer::publish)
            .isInstanceOf(DuplicateKeyException.class)
            .hasMessageContaining(key(count / 2));
      }
    }
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files.filter(file -> file.toString().endsWith(".spill"))).isEmpty();
    }
    if (duplicates == Duplicates.FAIL) {
      assertThat(Table.at(directory).currentVersion()).isNull();
      return;
    }
    Manifest manifest = Table.at(directory).manifest(Table.at(directory).requireCurrentVersion());
    assertThat(manifest.partitions()).hasSizeGreaterThan(2);
    assertThat(manifest.partitions().get(0).lowerBound()).isEqualTo(Bound.FIRST);
    long largest = manifest.partitions().stream().mapToLong(PartitionFile::length).max().orElse(0);
    assertThat(largest).isLessThan(3 * manifest.length() / manifest.partitions().size());
    SnapshotVerifier.verify(directory.resolve("snapshots").resolve(manifest.version()));
    try (SnapshotReader reader = SnapshotReader.open(directory);
        RecordCursor cursor = reader.ordered().range(KeyRange.all())) {
      String expected = duplicates == Duplicates.FIRST ? "first-" : "last-";
      int seen = 0;
      while (cursor.next()) {
        if (seen % 2 == 0 && seen / 2 % 1000 == 0) {
          assertThat(cursor.key()).isEqualTo(bytes(key(seen / 2)));
          assertThat(text(cursor.value())).startsWith(expected);
        }
        seen++;
      }
      assertThat(seen).isEqualTo(2 * count);
    }
  }

  @Test
  void makesNoMorePartitionsThanKeys() throws Exception {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, options().partitions(64).build())) {
      for (int i = 0; i < 5; i++) {
        writer.add(bytes(key(i)), bytes("v"));
      }
      Manifest manifest = writer.publish();
      assertThat(manifest.partitions()).hasSize(5);
      SnapshotVerifier.verify(directory.resolve("snapshots").resolve(manifest.version()));
    }
  }

  /** One key that is most of the data does not make an empty partition, or one key in two. */
  @Test
  void dividesSkewedKeys() throws Exception {
    try (SnapshotWriter writer =
        SnapshotWriter.create(
            directory, options().partitions(7).duplicates(Duplicates.LAST).build())) {
      for (int i = 0; i < 20_000; i++) {
        writer.add(bytes(i % 10 == 0 ? key(i) : key(5000)), bytes("value " + i));
      }
      Manifest manifest = writer.publish();
      assertThat(manifest.recordCount()).isEqualTo(2000);
      assertThat(manifest.partitions()).allMatch(file -> file.recordCount() > 0);
      SnapshotVerifier.verify(directory.resolve("snapshots").resolve(manifest.version()));
    }
  }

  @Test
  void refusesOptionsThatContradictTheOrder() {
    assertThatThrownBy(() -> options().approximate().build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stores no keys");
    assertThatThrownBy(() -> WriterOptions.builder().pointIndex(false).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("order 'key'");
    Schema plain = Schema.builder().column("id", "BIGINT").primaryKey("id").build();
    assertThatThrownBy(() -> options().schema(plain).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("keyEncoding 'ordered'");
    Schema ordered = plain.withKeyEncoding(KeyEncoding.ORDERED);
    assertThat(options().schema(ordered).build().schema()).isEqualTo(ordered);
    assertThatThrownBy(() -> WriterOptions.builder().set("order", "rank"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("hash, key");
  }

  /** Each byte of a small table is flipped, or some: an error, or the right answers. */
  @ParameterizedTest
  @EnumSource(names = {"COMPACT", "COMPRESSED"})
  void findsFlippedBytes(Layout layout) throws Exception {
    Manifest manifest;
    manifest =
        Records.numbered(60, i -> key(i), i -> "value " + i)
            .publish(directory, options().layout(layout).blockSize(512).partitions(2).build());
    Path snapshot = directory.resolve("snapshots").resolve(manifest.version());
    Path file = snapshot.resolve(manifest.partitions().get(1).name());
    byte[] sound = Files.readAllBytes(file);
    for (int i = 0; i < sound.length; i += layout == Layout.COMPACT ? 1 : 3) {
      byte[] damaged = sound.clone();
      damaged[i] ^= (byte) (1 << (i % 8));
      Files.write(file, damaged);
      assertThatThrownBy(() -> SnapshotVerifier.verify(snapshot))
          .as("byte %d", i)
          .isInstanceOf(IOException.class);
      answersRightOrFails(i);
    }
  }

  private void answersRightOrFails(int flipped) {
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      for (int i : List.of(0, 29, 30, 31, 45, 59)) {
        KeyValue floor = reader.ordered().floor(bytes(key(i) + "x"));
        assertThat(floor).as("byte %d", flipped).isNotNull();
        assertThat(floor.key()).isEqualTo(bytes(key(i)));
        assertThat(floor.value()).isEqualTo(bytes("value " + i));
        assertThat(reader.get(bytes(key(i)))).isEqualTo(bytes("value " + i));
      }
    } catch (CorruptSnapshotException | io.bsdb.format.UnsupportedVersionException expected) {
      // found
    } catch (IOException e) {
      throw new AssertionError("byte " + flipped, e);
    }
  }
}
