package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.FileParts.Block;
import io.bsdb.writer.Layout;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Parts that are intact but belong elsewhere, as lost, misdirected and swapped writes leave them:
 * of another place, partition or version. Two versions have the same keys, and values of the same
 * lengths, so that nothing but the checksums tells their parts apart.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@ExtendWith(NothingLeftOpen.class)
class MisplacedPartsTest {
  private static final int PARTITIONS = 2;

  @TempDir Path table;

  private TestData data = TestData.empty();
  private final List<Manifest> manifests = new ArrayList<>();

  /** The files by version, then partition. */
  private final List<List<FileParts>> files = new ArrayList<>();

  /** A way to write tables. */
  record Shape(Layout layout, boolean approximate, boolean dictionary) {
    WriterOptions options() {
      WriterOptions.Builder builder =
          WriterOptions.builder().layout(layout).partitions(PARTITIONS).blockSize(blockSize());
      return (approximate ? builder.approximate() : builder).build();
    }

    private int blockSize() {
      return layout == Layout.COMPACT || layout == Layout.COMPRESSED ? 1024 : 4096;
    }

    TestData data(int version) {
      int count = dictionary ? 1000 : 400;
      TestData sameKeys = TestData.phrases(1, count);
      Random random = new Random(version);
      TestData data = TestData.empty();
      for (int i = 0; i < count; i++) {
        byte[] value = new byte[100]; // cannot be compressed: then blocks have one length
        random.nextBytes(value);
        String phrase = "customer %011d, city: Zurich".formatted(random.nextInt());
        data.add(sameKeys.keys().get(i), dictionary ? phrase.getBytes(StandardCharsets.UTF_8) : value);
      }
      return data;
    }
  }

  /** Every layout, with keys and without; blocks have one length. */
  static Stream<Shape> layouts() {
    return Stream.of(Layout.values())
        .flatMap(layout -> Stream.of(false, true).map(keys -> new Shape(layout, keys, false)));
  }

  /** With dictionaries, too; so that there is every kind of section. */
  static Stream<Shape> shapes() {
    return Stream.concat(layouts(), Stream.of(new Shape(Layout.COMPRESSED, false, true)));
  }

  private void publish(Shape shape) throws IOException {
    for (int version = 0; version < 2; version++) {
      data = shape.data(version); // that of the newest is kept
      Manifest manifest = data.publish(table, shape.options());
      List<FileParts> parts = new ArrayList<>();
      for (PartitionFile file : manifest.partitions()) {
        parts.add(FileParts.of(directory(manifest).resolve(file.name())));
      }
      manifests.add(manifest);
      files.add(parts);
    }
  }

  private Path directory(Manifest manifest) {
    return table.resolve("snapshots").resolve(manifest.version());
  }

  private static ReaderOptions options(Access access) {
    // Signatures are verified by those who use them.
    return ReaderOptions.builder().access(access).signatures(SignatureUse.ALWAYS).build();
  }

  /** What another file, or the same one, has in store for a block. */
  private interface Source {
    ByteBuffer bytes(int block);
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void blocksOfAnotherPlaceAreRefused(Shape shape) throws Exception {
    publish(shape);
    FileParts target = files.get(1).get(0);
    int count = target.blocks().size();
    assertBlocksRefused(target, block -> slice(target, (block + 1) % count));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void blocksOfAnotherPartitionAreRefused(Shape shape) throws Exception {
    publish(shape);
    FileParts other = files.get(1).get(1);
    assertBlocksRefused(files.get(1).get(0), block -> slice(other, block));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void blocksOfAnotherVersionAreRefused(Shape shape) throws Exception {
    publish(shape);
    FileParts other = files.get(0).get(1);
    assertBlocksRefused(files.get(1).get(1), block -> slice(other, block));
  }

  private static ByteBuffer slice(FileParts file, int number) {
    if (number >= file.blocks().size()) {
      return ByteBuffer.allocate(0);
    }
    Block block = file.blocks().get(number);
    return file.bytes().slice(block.start(), block.length());
  }

  /** Replaces every block for which the source has one of its length, and reads everything. */
  private void assertBlocksRefused(FileParts target, Source source) throws IOException {
    ByteBuffer changed = target.copy();
    List<String> places = new ArrayList<>();
    int lost = 0;
    for (int i = 0; i < target.blocks().size(); i++) {
      Block block = target.blocks().get(i);
      ByteBuffer bytes = source.bytes(i);
      if (bytes.limit() == block.length()) {
        changed.put(block.start(), bytes, 0, bytes.limit());
        places.add("file=%s offset=%d ".formatted(target.path(), block.start()));
        lost += block.records();
      }
    }
    assertThat(places).hasSizeGreaterThan(target.blocks().size() / 2);
    List<byte[]> absent = data.absentKeys(100);
    List<byte[]> answers;
    try (SnapshotReader sound = SnapshotReader.open(table)) {
      data.assertFoundIn(sound);
      answers = sound.getAll(absent);
    }
    target.write(changed);
    for (Access access : Access.values()) {
      Answers check = new Answers(places);
      try (SnapshotReader reader = SnapshotReader.open(table, options(access))) {
        assertThat(check.refused(reader, data.keys(), data.values())).isEqualTo(lost);
        check.refused(reader, absent, answers);
        check.assertRefused(() -> reader.getAll(data.keys()));
        check.assertRefused(() -> reader.async().getAll(data.keys()).join());
        check.assertRefused(() -> scan(reader.scan()));
        check.assertRefused(
            () -> scan(reader.scan(files.get(1).indexOf(target))));
      }
    }
    assertThatThrownBy(() -> SnapshotVerifier.verify(directory(manifests.get(1))))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(places.get(0));
  }

  /** Every record that is given must be one of the table. */
  private Void scan(RecordCursor scan) throws IOException {
    try (RecordCursor cursor = scan) {
      List<ByteBuffer> values = data.values().stream().map(ByteBuffer::wrap).toList();
      while (cursor.next()) {
        assertThat(values.contains(ByteBuffer.wrap(cursor.value()))).isTrue();
      }
    }
    return null;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void sectionsOfAnotherFileAreRefused(Shape shape) throws Exception {
    publish(shape);
    int moved = 0;
    for (FileParts target : List.of(files.get(1).get(0), files.get(1).get(1))) {
      for (FileParts source : Stream.concat(files.get(0).stream(), files.get(1).stream()).toList()) {
        for (SectionKind kind : SectionKind.values()) {
          if (!source.path().equals(target.path()) && kind != SectionKind.BLOCKS && target.has(kind)) {
            moved += assertSectionRefused(target, source, kind);
          }
        }
      }
    }
    // At least from the same partition of the other version.
    assertThat(moved).isGreaterThanOrEqualTo(PARTITIONS * (shape.dictionary ? 5 : 4));
  }

  /** Moves the section with its entry in the directory, so that only its checksum can tell. */
  private int assertSectionRefused(FileParts target, FileParts source, SectionKind kind)
      throws IOException {
    Section own = target.section(kind);
    Section other = source.section(kind);
    if (other.length() > own.length()) {
      return 0;
    }
    ByteBuffer changed = target.copy();
    changed.put((int) own.offset(), source.bytes(other), 0, (int) other.length());
    List<Section> sections = new ArrayList<>(target.footer().sections());
    sections.set(
        sections.indexOf(own),
        new Section(
            own.kind(), own.requirement(), own.offset(), other.length(), other.checksum()));
    target.putFooter(changed, sections);
    assertOpenRefused(
        target,
        changed,
        "section checksum mismatch: file=%s section=%s offset=%d "
            .formatted(target.path(), kind, own.offset()));
    return 1;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void filesHeadersAndFootersOfAnotherFileAreRefused(Shape shape) throws Exception {
    publish(shape);
    FileParts target = files.get(1).get(0);
    for (FileParts source :
        List.of(files.get(1).get(1), files.get(0).get(0), files.get(0).get(1))) {
      String elsewhere =
          "file belongs elsewhere: file=%s offset=0 expected file id=%s actual=%s;"
              .formatted(target.path(), target.header().fileId(), source.header().fileId());
      writeManifest(source);
      assertOpenRefused(target, source.copy(), elsewhere);
      writeManifest(target);
      ByteBuffer changed = target.copy();
      changed.put(0, source.bytes(), 0, SnapshotFormat.HEADER_LENGTH);
      assertOpenRefused(target, changed, elsewhere);
      if (source.length() == target.length()) {
        ByteBuffer footer = target.copy();
        int offset = target.directoryOffset();
        footer.put(offset, source.bytes(), offset, target.length() - offset);
        assertOpenRefused(
            target,
            footer,
            "footer checksum mismatch: file=%s offset=%d ".formatted(target.path(), offset));
      }
    }
    assertThat(files.get(0).get(0).length()).isEqualTo(target.length());
  }

  /** Lets the newest manifest say of partition 0 what holds of a file, but for name and id. */
  private void writeManifest(FileParts actual) throws IOException {
    Manifest manifest = manifests.get(1);
    List<PartitionFile> entries = new ArrayList<>(manifest.partitions());
    PartitionFile own = entries.get(0);
    for (Manifest each : manifests) {
      for (PartitionFile file : each.partitions()) {
        if (file.fileId().equals(actual.header().fileId())) {
          entries.set(
              0,
              new PartitionFile(
                  0,
                  own.name(),
                  own.fileId(),
                  file.length(),
                  file.checksum(),
                  file.recordCount(),
                  file.keyBytes(),
                  file.valueBytes()));
        }
      }
    }
    Manifest patched =
        new Manifest(
            manifest.snapshotId(),
            manifest.version(),
            manifest.parent(),
            manifest.createdAt(),
            manifest.schema(),
            manifest.options(),
            entries,
            manifest.properties(),
            manifest.sourcePositions());
    Files.write(directory(manifest).resolve(SnapshotFormat.MANIFEST_FILE), patched.encode());
  }

  private void assertOpenRefused(FileParts target, ByteBuffer changed, String message)
      throws IOException {
    target.write(changed);
    for (Access access : Access.values()) {
      assertThatThrownBy(() -> SnapshotReader.open(table, options(access)).close())
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageStartingWith(message);
    }
    target.write(target.copy());
  }
}
