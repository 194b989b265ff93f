package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.FileFooter;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files that somebody wrote on purpose, all checksums right: answers may be anything, but nothing
 * goes beyond an exception of ours.
 */
@Timeout(300)
@ExtendWith(NothingLeftOpen.class)
class ForgedSnapshotTest {
  private static final int[] FIGURES = {
    0, 1, -1, 0x7F, 0xFFFF, 1 << 24, 1 << 27, 1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE
  };

  @TempDir(factory = InMemory.class)
  Path table;

  /** Shapes that between them use every field of the format. */
  enum Shape {
    FIXED(Layout.COMPACT, Lengths.FIXED, 60, false, PerfectHashConstruction.PILOT),
    VARYING(Layout.COMPACT, Lengths.VARYING, 60, false, PerfectHashConstruction.SUX4J),
    COMPRESSED(Layout.COMPRESSED, Lengths.VARYING, 120, false, PerfectHashConstruction.PILOT),
    PAGES(Layout.BLOCKED, Lengths.VARYING, 260, false, PerfectHashConstruction.PILOT),
    SYMBOLS(Layout.SYMBOLS, Lengths.VARYING, 90, false, PerfectHashConstruction.PILOT),
    APPROXIMATE_SYMBOLS(Layout.SYMBOLS, Lengths.FIXED, 90, true, PerfectHashConstruction.PILOT),
    APPROXIMATE(Layout.COMPACT, Lengths.VARYING, 60, true, PerfectHashConstruction.PILOT),
    APPROXIMATE_COMPRESSED(
        Layout.COMPRESSED, Lengths.FIXED, 60, true, PerfectHashConstruction.PILOT),
    ORDERED(Layout.COMPACT, Lengths.VARYING, 120, false, PerfectHashConstruction.PILOT),
    ORDERED_COMPRESSED(Layout.COMPRESSED, Lengths.FIXED, 120, false, PerfectHashConstruction.PILOT);

    private final Layout layout;
    private final Lengths lengths;
    private final int count;
    private final boolean approximate;
    private final PerfectHashConstruction kind;

    Shape(
        Layout layout,
        Lengths lengths,
        int count,
        boolean approximate,
        PerfectHashConstruction kind) {
      this.layout = layout;
      this.lengths = lengths;
      this.count = count;
      this.approximate = approximate;
      this.kind = kind;
    }

    private boolean pages() {
      return layout.alignment() > 1;
    }

    TestData data() {
      return TestData.random(name().hashCode(), count, lengths, lengths, 40);
    }

    Forgery publish(Path table, TestData data) throws IOException {
      WriterOptions.Builder builder =
          WriterOptions.builder()
              .layout(layout)
              .perfectHash(kind)
              .blockSize(pages() ? 4096 : 512)
              .partitions(1);
      if (approximate) {
        builder.approximate();
      }
      if (name().startsWith("ORDERED")) {
        builder.order(RecordOrder.KEY);
      }
      return new Forgery(table, data.publish(table, builder.build()));
    }
  }

  /** Where the checksummed figures are: the sections and the first blocks, at first each byte. */
  private static List<Integer> positions(Forgery forgery) {
    List<Integer> positions = new ArrayList<>();
    for (Section section : forgery.footer().sections()) {
      int start = (int) section.offset();
      int length = (int) Math.min(section.length(), 160);
      for (int i = 0; i < length; i += i < 80 ? 1 : 3) {
        positions.add(start + i);
      }
    }
    return positions;
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void changedBytesBehindRightChecksumsDoNoHarm(Shape shape) throws Exception {
    TestData data = shape.data();
    Forgery forgery = shape.publish(table, data);
    int[] changes = {0x80, 1, 0xFF, 0x40, 2};
    for (int position : positions(forgery)) {
      ByteBuffer changed = forgery.copy();
      int change = changes[position % changes.length];
      changed.put(position, (byte) (forgery.at(position) ^ change));
      forgery.write(changed);
      assertHarmless(data, "byte %d changed by %d".formatted(position, change));
    }
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void extremeFiguresBehindRightChecksumsDoNoHarm(Shape shape) throws Exception {
    TestData data = shape.data();
    Forgery forgery = shape.publish(table, data);
    int turn = 0;
    for (int position : positions(forgery)) {
      if (position % 4 == 0) {
        int figure = FIGURES[turn++ % FIGURES.length];
        ByteBuffer changed = forgery.copy();
        changed.putInt(position, figure);
        forgery.write(changed);
        assertHarmless(data, "%d at %d".formatted(figure, position));
      }
    }
  }

  /** Where each head is zero, every search ends in the last block. */
  @Test
  void anIndexOfZerosEndsEverySearch() throws Exception {
    TestData data = Shape.ORDERED.data();
    Forgery forgery = Shape.ORDERED.publish(table, data);
    Section section = forgery.section(SectionKind.ORDER_INDEX);
    ByteBuffer changed = forgery.copy();
    int keys = 16 + changed.getInt((int) section.offset() + 4);
    keys += changed.getInt((int) section.offset() + 8);
    for (int i = (keys + 7) / 8 * 8; i < section.length(); i++) {
      changed.put((int) section.offset() + i, (byte) 0);
    }
    forgery.write(changed);
    int refused = 0;
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      OrderedReader ordered = reader.ordered();
      for (byte[] key : data.keys()) {
        try {
          KeyValue found = ordered.longestPrefix(key);
          if (found != null) {
            assertThat(key).startsWith(found.key());
          }
        } catch (CorruptSnapshotException e) {
          assertThat(e).hasMessageContaining("order index leads to a key above");
          refused++;
        }
      }
    }
    assertThat(refused).isPositive();
  }

  /** What a file says of its frames takes no memory before there is so much in them. */
  @Test
  void framesThatClaimToBeLongTakeLittleMemory() throws Exception {
    TestData data = Shape.COMPRESSED.data();
    Forgery forgery = Shape.COMPRESSED.publish(table, data);
    ByteBuffer changed = forgery.copy();
    int longest = 256 << 20;
    changed.putInt((int) forgery.section(SectionKind.PROPERTIES).offset() + 32, longest);
    forgery.claimFrameLength(changed, longest);
    forgery.write(changed);
    forgery.writeManifest(data.count());
    long before = OffHeap.bytes();
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      for (int i = 0; i < data.count(); i++) {
        assertThat(reader.get(data.keys().get(i))).isEqualTo(data.values().get(i));
      }
      assertThat(OffHeap.bytes() - before).isLessThan(8 << 20);
    }
  }

  @Test
  void sectionsThatClaimOtherPlacesDoNoHarm() throws Exception {
    TestData data = Shape.COMPRESSED.data();
    Forgery forgery = Shape.COMPRESSED.publish(table, data);
    long[] places = {0, 1, 63, 64, 65, 500, forgery.length() - 40L, forgery.length(), -1, 1L << 31};
    List<Section> sections = forgery.footer().sections();
    for (int i = 0; i < sections.size(); i++) {
      for (long offset : places) {
        for (long length : places) {
          Section section = sections.get(i);
          List<Section> other = new ArrayList<>(sections);
          other.set(
              i,
              new Section(
                  section.kind(), section.requirement(), offset, length, section.checksum()));
          forgery.write(forgery.copy(), new FileFooter(other));
          assertHarmless(data, "section %d at %d length %d".formatted(i, offset, length));
        }
      }
    }
  }

  @Test
  void missingAndRepeatedSectionsAreRefused() throws Exception {
    TestData data = Shape.COMPRESSED.data();
    Forgery forgery = Shape.COMPRESSED.publish(table, data);
    List<Section> sections = forgery.footer().sections();
    Section properties = forgery.section(SectionKind.PROPERTIES);
    for (Section section : sections) {
      List<Section> other = new ArrayList<>(sections);
      Section optional = new Section(99, Section.Requirement.OPTIONAL, properties.offset(), 0, 0);
      other.set(sections.indexOf(section), optional);
      forgery.write(forgery.copy(), new FileFooter(other));
      assertThatThrownBy(() -> SnapshotReader.open(table))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageStartingWith("file has no section ");
    }
  }

  @Test
  void aLaterRequiredSectionIsUnsupportedAndALaterOptionalOneIsSkipped() throws Exception {
    TestData data = Shape.VARYING.data();
    Forgery forgery = Shape.VARYING.publish(table, data);
    List<Section> sections = new ArrayList<>(forgery.footer().sections());
    int signatures = sections.indexOf(forgery.section(SectionKind.SIGNATURES));
    Section old = sections.get(signatures);
    for (Section.Requirement requirement : Section.Requirement.values()) {
      sections.set(
          signatures, new Section(77, requirement, old.offset(), old.length(), old.checksum()));
      forgery.write(forgery.copy(), new FileFooter(sections));
      if (requirement == Section.Requirement.OPTIONAL) {
        try (SnapshotReader reader = SnapshotReader.open(table)) {
          data.assertFoundIn(reader);
        }
      } else {
        assertThatThrownBy(() -> SnapshotReader.open(table))
            .isInstanceOf(UnsupportedVersionException.class)
            .hasMessageContaining("required section of unknown kind 77: file=");
      }
    }
  }

  @Test
  void anotherRecordCountInTheManifestIsRefused() throws Exception {
    TestData data = Shape.FIXED.data();
    Forgery forgery = Shape.FIXED.publish(table, data);
    for (int count : new int[] {0, 59, 61, 1 << 27}) {
      forgery.writeManifest(count);
      assertThatThrownBy(() -> SnapshotReader.open(table))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageStartingWith("record count differs from the manifest: file=");
    }
  }

  @Test
  void damagedDictionariesDoNoHarm() throws Exception {
    TestData data = TestData.phrases(1, 2000);
    WriterOptions options = WriterOptions.builder().layout(Layout.COMPRESSED).partitions(1).build();
    Manifest manifest = data.publish(table, options);
    Forgery forgery = new Forgery(table, manifest);
    Section dictionary = forgery.section(SectionKind.DICTIONARY);
    TestData some = TestData.empty();
    for (int i = 0; i < data.count(); i += 50) {
      some.add(data.keys().get(i), data.values().get(i));
    }
    for (int i = 0; i < dictionary.length(); i += i < 100 ? 1 : 197) {
      int position = (int) dictionary.offset() + i;
      ByteBuffer changed = forgery.copy();
      changed.put(position, (byte) (forgery.at(position) ^ (i % 2 == 0 ? 0xFF : 1)));
      forgery.write(changed);
      assertHarmless(some, "dictionary byte " + i);
    }
  }

  private void assertHarmless(TestData data, String what) throws IOException {
    HarmlessReads.of(table, data, what);
  }
}
