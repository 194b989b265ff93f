package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.Verification;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Damage of any kind costs an exception that names the file, never a wrong answer. */
@Timeout(300)
@ExtendWith(NothingLeftOpen.class)
class SnapshotDamageTest {
  private static final int[] CHANGES = {1, 0x80, 0xFF, 0x10};

  @TempDir(factory = InMemory.class)
  Path table;

  /** Every layout, and where there are no keys that would give a wrong record away. */
  enum Shape {
    BLOCKED(Layout.BLOCKED, false),
    COMPACT(Layout.COMPACT, false),
    COMPRESSED(Layout.COMPRESSED, false),
    COMPRESSED_PAGES(Layout.COMPRESSED_PAGES, false),
    SYMBOLS(Layout.SYMBOLS, false),
    APPROXIMATE(Layout.COMPACT, true),
    APPROXIMATE_COMPRESSED(Layout.COMPRESSED, true);

    private final Layout layout;
    private final boolean approximate;

    Shape(Layout layout, boolean approximate) {
      this.layout = layout;
      this.approximate = approximate;
    }

    private boolean pages() {
      return layout.alignment() > 1;
    }

    TestData data() {
      int count = layout == Layout.SYMBOLS ? 100 : 24; // so many that tables pay
      return TestData.random(name().hashCode(), count, Lengths.VARYING, Lengths.VARYING, 40);
    }

    Manifest publish(Path table, TestData data) throws IOException {
      WriterOptions.Builder builder =
          WriterOptions.builder()
              .layout(layout)
              .partitions(pages() ? 1 : 2)
              .schema(Schema.builder().column("id", "BYTES NOT NULL").primaryKey("id").build());
      if (approximate) {
        builder.approximate().signatureBits(32);
      }
      return data.publish(table, builder.build());
    }
  }

  private static Path directory(Path table, Manifest manifest) {
    return table.resolve("snapshots").resolve(manifest.version());
  }

  private static List<Path> files(Path table, Manifest manifest) {
    List<Path> files = new ArrayList<>();
    for (PartitionFile file : manifest.partitions()) {
      files.add(directory(table, manifest).resolve(file.name()));
    }
    files.add(directory(table, manifest).resolve("manifest.json"));
    return files;
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void changedBytesAreFoundByVerifyAndNeverAnswerWrong(Shape shape) throws Exception {
    TestData data = shape.data();
    Manifest manifest = shape.publish(table, data);
    List<Path> files = files(table, manifest);
    for (Path file : files) {
      byte[] sound = Files.readAllBytes(file);
      // Each of a partition, unless it has many records, and of one manifest: others are alike.
      int rare = shape == Shape.SYMBOLS ? 3 : 1;
      int step = file.equals(files.get(0)) || shape == Shape.BLOCKED ? rare : 7;
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        for (int i = 0; i < sound.length; i += step) {
          if (insidePadding(sound, i) && i % 64 != 0) {
            continue;
          }
          byte change = (byte) CHANGES[i % CHANGES.length];
          String what = "byte %d of %s changed by %d".formatted(i, file.getFileName(), change);
          write(channel, i, (byte) (sound[i] ^ change));
          assertRightOrRefused(table, data, file, what);
          assertVerifyRefuses(directory(table, manifest), file, what);
          write(channel, i, sound[i]);
        }
      }
    }
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      data.assertFoundIn(reader);
    }
  }

  private static boolean insidePadding(byte[] bytes, int position) {
    for (int i = Math.max(0, position - 8); i < Math.min(bytes.length, position + 8); i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static void write(FileChannel channel, int position, byte value) throws IOException {
    channel.write(ByteBuffer.wrap(new byte[] {value}), position);
  }

  @ParameterizedTest
  @EnumSource(names = {"BLOCKED", "COMPRESSED"})
  void everyTruncationIsRefused(Shape shape) throws Exception {
    TestData data = shape.data();
    Manifest manifest = shape.publish(table, data);
    for (Path file : files(table, manifest)) {
      byte[] sound = Files.readAllBytes(file);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        for (int length = sound.length - 1; length >= 0; length--) {
          channel.truncate(length);
          if (insidePadding(sound, length) && length % 16 != 0) {
            continue;
          }
          String what = "%s cut to %d".formatted(file.getFileName(), length);
          assertThatThrownBy(() -> SnapshotReader.open(table))
              .as(what)
              .isInstanceOf(CorruptSnapshotException.class)
              .hasMessageContaining(file.toString());
          if (length % 97 == 0) {
            assertVerifyRefuses(directory(table, manifest), file, what);
          }
        }
      }
      Files.write(file, sound);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BLOCKED", "COMPRESSED"})
  void bytesBehindTheEndAreRefused(Shape shape) throws Exception {
    TestData data = shape.data();
    Manifest manifest = shape.publish(table, data);
    for (Path file : files(table, manifest)) {
      byte[] sound = Files.readAllBytes(file);
      for (int more : new int[] {1, 8, 32, 4096}) {
        Files.write(file, new byte[more], StandardOpenOption.APPEND);
        assertThatThrownBy(() -> SnapshotReader.open(table))
            .isInstanceOf(CorruptSnapshotException.class)
            .hasMessageContaining(file.toString());
        assertVerifyRefuses(directory(table, manifest), file, "longer by " + more);
        Files.write(file, sound);
      }
    }
  }

  @Test
  void missingFilesAreNamed() throws Exception {
    TestData data = Shape.COMPACT.data();
    Manifest manifest = Shape.COMPACT.publish(table, data);
    List<Path> files = files(table, manifest);
    for (Path file : files) {
      byte[] sound = Files.readAllBytes(file);
      Files.delete(file);
      assertThatThrownBy(() -> SnapshotReader.open(table))
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining(file.toString());
      assertThatThrownBy(() -> SnapshotVerifier.verify(directory(table, manifest)))
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining(file.toString());
      Files.write(file, sound);
    }
  }

  @Test
  void everyChangedByteOfCurrentIsRefused() throws Exception {
    TestData data = Shape.COMPACT.data();
    Shape.COMPACT.publish(table, data);
    Path current = table.resolve("CURRENT");
    byte[] sound = Files.readAllBytes(current);
    for (int i = 0; i < sound.length; i++) {
      for (int change : new int[] {1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xFF}) {
        byte[] damaged = sound.clone();
        damaged[i] ^= (byte) change;
        Files.write(current, damaged);
        assertThatThrownBy(() -> SnapshotReader.open(table))
            .isInstanceOfAny(CorruptSnapshotException.class, NoSuchFileException.class)
            .hasMessageContaining(table.toString());
      }
    }
    for (int length : new int[] {0, 1, sound.length - 1, sound.length + 1, 5000, 1 << 20}) {
      Files.write(current, Arrays.copyOf(sound, length));
      assertThatThrownBy(() -> SnapshotReader.open(table))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("file=" + current);
    }
  }

  @Test
  void exchangedPartitionsAreRefused() throws Exception {
    Manifest manifest = Shape.COMPACT.publish(table, Shape.COMPACT.data());
    List<Path> files = files(table, manifest);
    Path aside = table.resolve("aside");
    Files.move(files.get(0), aside);
    Files.move(files.get(1), files.get(0));
    Files.move(aside, files.get(1));
    assertThatThrownBy(() -> SnapshotReader.open(table))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("file=" + files.get(0));
  }

  @Test
  void aPartitionOfAnotherVersionIsRefused() throws Exception {
    TestData data = TestData.random(4, 40, Lengths.FIXED, Lengths.FIXED, 30);
    List<Path> older = files(table, Shape.COMPACT.publish(table, data));
    List<Path> newer = files(table, Shape.COMPACT.publish(table, data));
    Files.copy(older.get(1), newer.get(1), StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(() -> SnapshotReader.open(table))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith(
            "file belongs elsewhere: file=" + newer.get(1) + " offset=0 expected file id=");
  }

  @Test
  void aWholeSnapshotUnderAnotherVersionsNameIsRefused() throws Exception {
    TestData data = Shape.COMPACT.data();
    List<Path> older = files(table, Shape.COMPACT.publish(table, data));
    Manifest manifest = Shape.COMPACT.publish(table, data);
    List<Path> newer = files(table, manifest);
    for (int i = 0; i < older.size(); i++) {
      Files.copy(older.get(i), newer.get(i), StandardCopyOption.REPLACE_EXISTING);
    }
    assertThatThrownBy(() -> SnapshotReader.open(table))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith(
            "manifest belongs to another version: file="
                + newer.get(2)
                + " expected="
                + manifest.version());
    assertThatThrownBy(() -> TableReader.follow(table, ReaderOptions.defaults()))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith("manifest belongs to another version");
  }

  @Test
  void fullVerificationAtOpenFindsDamageThatNoLookupWouldMeet() throws Exception {
    Manifest manifest = Shape.BLOCKED.publish(table, Shape.BLOCKED.data());
    Path file = files(table, manifest).get(0);
    byte[] bytes = Files.readAllBytes(file);
    bytes[100] = 1; // between the header and the first block
    Files.write(file, bytes);
    SnapshotReader.open(table).close();
    ReaderOptions full = ReaderOptions.builder().verification(Verification.FULL).build();
    assertThatThrownBy(() -> SnapshotReader.open(table, full))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith("file checksum mismatch: file=" + file + " offset=0 length=");
  }

  private static void assertVerifyRefuses(Path directory, Path file, String what) {
    try {
      SnapshotVerifier.verify(directory);
    } catch (Throwable e) {
      assertRefusal(what, file, e);
      return;
    }
    throw new AssertionError("verify did not notice: " + what);
  }

  private static void assertRightOrRefused(Path table, TestData data, Path file, String what) {
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      for (int i = 0; i < data.count(); i++) {
        byte[] key = data.keys().get(i);
        checked(what, file, () -> reader.get(key), data.values().get(i));
      }
      checked(what, file, () -> all(reader, data), new byte[0]);
      for (byte[] key : data.absentKeys(4)) {
        checked(what, file, () -> reader.get(key), null);
      }
      checked(what, file, () -> scan(reader, data), new byte[0]);
    } catch (Throwable e) {
      assertRefusal(what, file, e);
    }
  }

  private static byte[] all(SnapshotReader reader, TestData data) throws IOException {
    List<byte[]> found = reader.getAll(data.keys());
    ByteBuffer target = ByteBuffer.allocate(100);
    for (int i = 0; i < data.count(); i++) {
      ByteBuffer expected = ByteBuffer.wrap(data.values().get(i));
      if (!ByteBuffer.wrap(found.get(i)).equals(expected)
          || reader.get(data.keys().get(i), target.clear()) != expected.remaining()
          || !target.flip().equals(expected)) {
        throw new AssertionError("another value for record " + i);
      }
    }
    return new byte[0];
  }

  private static byte[] scan(SnapshotReader reader, TestData data) throws IOException {
    int records = 0;
    try (RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        byte[] value = cursor.value();
        records += data.values().stream().anyMatch(each -> Arrays.equals(each, value)) ? 1 : 0;
      }
    }
    assertThat(records).isEqualTo(data.count());
    return new byte[0];
  }

  private interface Read {
    byte[] value() throws IOException;
  }

  private static void checked(String what, Path file, Read read, byte[] expected) {
    byte[] actual;
    try {
      actual = read.value();
    } catch (Throwable e) {
      assertRefusal(what, file, e);
      return;
    }
    if (!Arrays.equals(actual, expected)) {
      assertThat(actual).as(what).isEqualTo(expected);
    }
  }

  private static void assertRefusal(String what, Path file, Throwable e) {
    if (e instanceof AssertionError error) {
      throw error;
    }
    if (!isRefusal(e, file)) {
      throw new AssertionError(what, e);
    }
  }

  private static boolean isRefusal(Throwable e, Path file) {
    return (e instanceof CorruptSnapshotException
            || e instanceof UnsupportedVersionException
            || e instanceof NoSuchFileException)
        && e.getMessage().contains(file.toString());
  }
}
