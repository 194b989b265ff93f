package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.TwoVersions.Shape;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.testkit.FileParts;
import io.bsdb.testkit.FileParts.Block;
import io.bsdb.writer.options.Layout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Parts that are intact but belong elsewhere, as lost, misdirected and swapped writes leave them:
 * of another place, partition or version.
 */
@Timeout(300)
@ExtendWith(NothingLeftOpen.class)
class MisplacedPartsTest {
  @TempDir Path table;

  /** Every layout, with keys and without; blocks have one length. */
  static Stream<Shape> layouts() {
    return Stream.of(Layout.values())
        .flatMap(layout -> Stream.of(false, true).map(keys -> new Shape(layout, keys, false)));
  }

  /** Encoded keys differ in length from one file to the other, and so do blocks of them. */
  static Stream<Shape> evenLayouts() {
    return layouts().filter(MisplacedPartsTest::isEven);
  }

  private static boolean isEven(Shape shape) {
    return shape.layout() != Layout.SYMBOLS || shape.approximate();
  }

  /** With dictionaries, too; so that there is every kind of section. */
  static Stream<Shape> shapes() {
    return Stream.concat(layouts(), Stream.of(new Shape(Layout.COMPRESSED, false, true)));
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
    TwoVersions versions = TwoVersions.publish(table, shape);
    FileParts target = versions.newer().get(0);
    int count = target.blocks().size();
    assertBlocksRefused(
        versions, target, block -> slice(target, (block + 1) % count), List.of(Access.values()));
  }

  @ParameterizedTest
  @MethodSource("evenLayouts")
  void blocksOfAnotherPartitionAreRefused(Shape shape) throws Exception {
    TwoVersions versions = TwoVersions.publish(table, shape);
    FileParts other = versions.newer().get(1);
    assertBlocksRefused(
        versions, versions.newer().get(0), block -> slice(other, block), oneOf(shape, 0));
  }

  @ParameterizedTest
  @MethodSource("evenLayouts")
  void blocksOfAnotherVersionAreRefused(Shape shape) throws Exception {
    TwoVersions versions = TwoVersions.publish(table, shape);
    FileParts other = versions.older().get(1);
    assertBlocksRefused(
        versions, versions.newer().get(1), block -> slice(other, block), oneOf(shape, 2));
  }

  /**
   * Each layout takes one way to read, the next layout the next way: blocks do not depend on it.
   */
  private static List<Access> oneOf(Shape shape, int from) {
    List<Access> all = List.of(Access.values());
    int layout = List.of(Layout.values()).indexOf(shape.layout());
    return List.of(all.get((from + layout) % all.size()));
  }

  private static ByteBuffer slice(FileParts file, int number) {
    if (number >= file.blocks().size()) {
      return ByteBuffer.allocate(0);
    }
    Block block = file.blocks().get(number);
    return file.bytes().slice(block.start(), block.length());
  }

  /** Replaces every block for which the source has one of its length, and reads everything. */
  private void assertBlocksRefused(
      TwoVersions versions, FileParts target, Source source, List<Access> accesses)
      throws IOException {
    TestData data = versions.data();
    ByteBuffer changed = target.copy();
    List<String> places = new ArrayList<>();
    int lost = 0;
    for (int i = 0; i < target.blocks().size(); i++) {
      Block block = target.blocks().get(i);
      ByteBuffer bytes = source.bytes(i);
      if (bytes.limit() == block.length()) {
        changed.put(block.start(), bytes, 0, bytes.limit());
        places.add(
            "block checksum mismatch: file=%s offset=%d ".formatted(target.path(), block.start()));
        lost += block.records();
      }
    }
    assertThat(places).hasSizeGreaterThan(target.blocks().size() / 2);
    List<byte[]> absent = data.absentKeys(20);
    List<byte[]> answers;
    try (SnapshotReader sound = SnapshotReader.open(table)) {
      data.assertFoundIn(sound);
      answers = sound.getAll(absent);
    }
    target.write(changed);
    for (Access access : accesses) {
      Answers check = new Answers(places);
      try (SnapshotReader reader = SnapshotReader.open(table, options(access))) {
        assertThat(check.refused(reader, data.keys(), data.values())).isEqualTo(lost);
        check.refused(reader, absent, answers);
        check.assertRefused(() -> reader.getAll(data.keys()));
        check.assertRefused(() -> reader.async().getAll(data.keys()).join());
        check.assertRefused(() -> scan(data, reader.scan()));
        check.assertRefused(() -> scan(data, reader.scan(versions.newer().indexOf(target))));
      }
    }
    assertThatThrownBy(() -> SnapshotVerifier.verify(versions.newerDirectory()))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(places.get(0));
  }

  /** Every record that is given must be one of the table. */
  private static Void scan(TestData data, RecordCursor scan) throws IOException {
    Set<ByteBuffer> values = new HashSet<>(data.values().stream().map(ByteBuffer::wrap).toList());
    try (RecordCursor cursor = scan) {
      while (cursor.next()) {
        assertThat(values.contains(ByteBuffer.wrap(cursor.value()))).isTrue();
      }
    }
    return null;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void sectionsOfAnotherFileAreRefused(Shape shape) throws Exception {
    TwoVersions versions = TwoVersions.publish(table, shape);
    int moved = 0;
    for (FileParts target : List.of(versions.newer().get(0), versions.newer().get(1))) {
      for (FileParts source : versions.files()) {
        for (SectionKind kind : SectionKind.values()) {
          if (!source.path().equals(target.path())
              && kind != SectionKind.BLOCKS
              && target.has(kind)) {
            moved += assertSectionRefused(target, source, kind);
          }
        }
      }
    }
    // At least from the same partition of the other version.
    assertThat(moved).isGreaterThanOrEqualTo(TwoVersions.PARTITIONS * (shape.dictionary() ? 5 : 4));
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
        new Section(own.kind(), own.requirement(), own.offset(), other.length(), other.checksum()));
    target.putFooter(changed, sections);
    assertOpenRefused(
        target,
        changed,
        "section checksum mismatch: file=%s section=%s offset=%d "
            .formatted(target.path(), kind, own.offset()));
    return 1;
  }

  /** Of the same file: nothing but offset and kind are others. */
  @ParameterizedTest
  @MethodSource("shapes")
  void sectionsOfAnotherPlaceOrKindAreRefused(Shape shape) throws Exception {
    TwoVersions versions = TwoVersions.publish(table, shape);
    FileParts target = versions.newer().get(0);
    Section properties = target.section(SectionKind.PROPERTIES);
    Section signatures = target.section(SectionKind.SIGNATURES);
    int offset = (int) signatures.offset();
    int length = (int) properties.length();
    assertThat(signatures.length()).isGreaterThan(length);
    ByteBuffer changed = target.copy();
    changed.put(offset, target.bytes(properties), 0, length);
    int ofAnotherPlace = properties.checksum();
    int ofAnotherKind = target.checksum().of(signatures.kind(), offset, changed, offset, length);
    for (int checksum : new int[] {ofAnotherPlace, ofAnotherKind}) {
      List<Section> sections = new ArrayList<>(target.footer().sections());
      sections.set(
          sections.indexOf(properties),
          new Section(properties.kind(), properties.requirement(), offset, length, checksum));
      sections.set(
          sections.indexOf(signatures),
          new Section(signatures.kind(), signatures.requirement(), properties.offset(), length, 0));
      target.putFooter(changed, sections);
      assertOpenRefused(
          target,
          changed,
          "section checksum mismatch: file=%s section=PROPERTIES offset=%d "
              .formatted(target.path(), offset));
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void filesHeadersAndFootersOfAnotherFileAreRefused(Shape shape) throws Exception {
    TwoVersions versions = TwoVersions.publish(table, shape);
    FileParts target = versions.newer().get(0);
    for (FileParts source :
        List.of(versions.newer().get(1), versions.older().get(0), versions.older().get(1))) {
      String elsewhere =
          "file belongs elsewhere: file=%s offset=0 expected file id=%s actual=%s;"
              .formatted(target.path(), target.header().fileId(), source.header().fileId());
      versions.writeManifest(source);
      assertOpenRefused(target, source.copy(), elsewhere);
      versions.writeManifest(target);
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
    assertThat(versions.older().get(0).length() == target.length() || !isEven(shape)).isTrue();
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
