package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.FileFooter;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.History;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Full verification refuses files in which a lookup would miss a record, all checksums right. */
@ExtendWith(NothingLeftOpen.class)
class ForgedVerificationTest {
  private static final String CURE =
      "; copy the file again from where it is sound, or rebuild the table";

  @TempDir(factory = InMemory.class)
  Path table;

  private Manifest manifest;
  private Forgery forgery;

  private void publish(TestData data, Layout layout, RecordOrder order) throws Exception {
    WriterOptions.Builder options =
        WriterOptions.builder().layout(layout).order(order).partitions(1);
    if (layout == Layout.COMPACT) {
      options.blockSize(512);
    }
    manifest = data.publish(table, options.build());
    forgery = new Forgery(table, manifest);
    SnapshotVerifier.verify(directory());
  }

  private Path directory() {
    return table.resolve("snapshots").resolve(manifest.version());
  }

  private String file() {
    return "file=" + directory().resolve(manifest.partitions().get(0).name());
  }

  /** Makes the manifest agree, so that nothing but the content is wrong. */
  private void write(ByteBuffer changed) throws Exception {
    forgery.write(changed);
    forgery.writeManifest(manifest.partitions().get(0).recordCount());
  }

  private void assertRefused(String start, String end) {
    assertThatThrownBy(() -> SnapshotVerifier.verify(directory()))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith(start)
        .hasMessageEndingWith(end);
  }

  private int start(SectionKind kind) {
    return (int) forgery.section(kind).offset();
  }

  @ParameterizedTest
  @CsvSource({
    "COMPACT, HASH",
    "BLOCKED, HASH",
    "COMPRESSED, HASH",
    "SYMBOLS, HASH",
    "COMPACT, KEY"
  })
  void signaturesOfOtherKeysAreRefused(Layout layout, RecordOrder order) throws Exception {
    TestData data = TestData.random(1, 90, Lengths.VARYING, Lengths.VARYING, 40);
    publish(data, layout, order);
    ByteBuffer changed = forgery.copy();
    int place = start(SectionKind.SIGNATURES);
    changed.put(place, (byte) (forgery.at(place) ^ 1)); // record 0 is the first to be verified
    write(changed);
    ReaderOptions compares = ReaderOptions.builder().signatures(SignatureUse.ALWAYS).build();
    int lost = 0;
    try (SnapshotReader reader = SnapshotReader.open(table, compares)) {
      for (byte[] key : data.keys()) {
        lost += reader.get(key) == null ? 1 : 0;
      }
    }
    assertThat(lost).isEqualTo(1);
    assertRefused(
        "a record cannot be found by its key: " + file() + " offset=",
        " expected=partition 0 record 0 actual=no record by its signature" + CURE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void signaturesThatAreTooShortAreRefused(int missing) throws Exception {
    publish(
        TestData.random(2, 90, Lengths.VARYING, Lengths.VARYING, 40),
        Layout.COMPACT,
        RecordOrder.HASH);
    List<Section> sections = new ArrayList<>(forgery.footer().sections());
    Section old = forgery.section(SectionKind.SIGNATURES);
    long length = old.length() - missing;
    sections.set(
        sections.indexOf(old),
        new Section(old.kind(), old.requirement(), old.offset(), length, old.checksum()));
    forgery.write(forgery.copy(), new FileFooter(sections));
    forgery.writeManifest(90);
    assertRefused(
        "length of the signatures does not match their records: " + file(),
        " expected=%d actual=%d".formatted(old.length(), length));
  }

  /** The head is below that of the last key, so a search for that ends after it. */
  @Test
  void headsOfOtherKeysAreRefused() throws Exception {
    TestData data = TestData.random(3, 300, Lengths.FIXED, Lengths.FIXED, 40);
    publish(data, Layout.COMPRESSED, RecordOrder.KEY);
    byte[] key = data.keys().stream().max(Arrays::compareUnsigned).orElseThrow();
    int bit = 15 * 299;
    int at = start(SectionKind.HEADS) + 2 * blocks() + bit / 8;
    ByteBuffer changed = forgery.copy();
    int head = changed.getInt(at) >> (bit % 8) & 0x7FFF; // zeros follow
    changed.putInt(at, changed.getInt(at) - (1 << (bit % 8)));
    write(changed);
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(reader.get(key)).isNotNull();
      assertThat(reader.ordered().ceiling(key)).isNull();
    }
    assertRefused(
        "head differs from the keys: %s section=HEADS record=299 expected=%x actual=%x"
            .formatted(file(), head, head - 1),
        CURE);
  }

  /** A key that is not there is led to the second block, whose heads are not made for it. */
  @Test
  void headsOfNodesOfOtherKeysAreRefused() throws Exception {
    TestData data = TestData.empty();
    Random random = new Random(6);
    for (int key : new int[] {0x10, 0x20, 0x21}) {
      byte[] value = new byte[1 << 15];
      random.nextBytes(value);
      data.add(new byte[] {(byte) key}, value);
    }
    publish(data, Layout.COMPRESSED, RecordOrder.KEY);
    assertThat(blocks()).isEqualTo(3);
    ByteBuffer changed = forgery.copy();
    int head = start(SectionKind.ORDER_INDEX) + 24 + 8;
    assertThat(changed.get(head)).isEqualTo((byte) 0x20);
    changed.put(head, (byte) 0x1f);
    write(changed);
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(reader.ordered().ceiling(new byte[] {0x1f, -1}))
          .extracting(KeyValue::key)
          .isEqualTo(new byte[] {0x21});
    }
    assertRefused(
        "head differs from the keys: %s section=ORDER_INDEX node=0 entry=1 expected=%x actual=%x"
            .formatted(file(), 0x20L << 56, 0x1fL << 56),
        CURE);
  }

  private int blocks() {
    return forgery.copy().getInt(start(SectionKind.BLOCK_INDEX));
  }

  /** Keys of one byte twice, so that heads that skip one byte more ascend as well. */
  private static TestData twins() {
    TestData data = TestData.empty();
    for (char c = '0'; c <= 'z'; c++) {
      data.add((c + "" + c).getBytes(StandardCharsets.US_ASCII), new byte[90]);
    }
    return data;
  }

  /** Skips a byte that keys between two others need not share: their floor is another record. */
  @Test
  void skipsThatAreTooLongAreRefused() throws Exception {
    publish(twins(), Layout.COMPACT, RecordOrder.KEY);
    assertThat(blocks()).isBetween(3, 16); // one node
    ByteBuffer changed = forgery.copy();
    int nodes = start(SectionKind.ORDER_INDEX) + (16 + 2 + 2 + 7) / 8 * 8;
    for (int i = 0; i < blocks(); i++) {
      changed.put(nodes + 8 * i + 1, (byte) 0); // c is left of c c
    }
    changed.putShort(nodes + 128, (short) 1);
    write(changed);
    byte[] between = "Az".getBytes(StandardCharsets.US_ASCII);
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(reader.ordered().ceiling(between))
          .extracting(KeyValue::key)
          .isNotEqualTo("BB".getBytes(StandardCharsets.US_ASCII));
    }
    assertRefused(
        "skip differs from the keys: " + file() + " section=ORDER_INDEX node=0 expected=0 actual=1",
        CURE);
  }

  @Test
  void skipsOfBlocksThatAreTooLongAreRefused() throws Exception {
    publish(twins(), Layout.COMPRESSED, RecordOrder.KEY);
    assertThat(blocks()).isEqualTo(1);
    ByteBuffer changed = forgery.copy();
    int heads = start(SectionKind.HEADS);
    int skip = changed.getShort(heads);
    changed.putShort(heads, (short) (skip + 8));
    for (int bit = 0; bit < 15 * twins().count(); bit++) {
      if (bit % 15 < 8) { // where the second byte was, which is the last
        int at = heads + 2 + bit / 8;
        changed.put(at, (byte) (changed.get(at) & ~(1 << (bit % 8))));
      }
    }
    write(changed);
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(reader.ordered().ceiling("Az".getBytes(StandardCharsets.US_ASCII)))
          .extracting(KeyValue::key)
          .isNotEqualTo("BB".getBytes(StandardCharsets.US_ASCII));
    }
    assertRefused(
        "skip differs from the keys: %s section=HEADS block=0 expected=%x actual=%x"
            .formatted(file(), skip, skip + 8),
        CURE);
  }

  @ParameterizedTest
  @EnumSource(
      value = Layout.class,
      names = {"COMPACT", "COMPRESSED", "SYMBOLS"})
  void sumsThatAreNotThoseOfTheRecordsAreRefused(Layout layout) throws Exception {
    publish(TestData.random(4, 60, Lengths.VARYING, Lengths.VARYING, 40), layout, RecordOrder.HASH);
    PartitionFile sound = manifest.partitions().get(0);
    Manifest before = manifest;
    for (int of = 0; of < 2; of++) {
      ByteBuffer changed = forgery.copy();
      int place = start(SectionKind.PROPERTIES) + 40 + 8 * of;
      long sum = changed.getLong(place);
      changed.putLong(place, sum + 1);
      PartitionFile entry =
          new PartitionFile(
              sound.name(),
              sound.fileId(),
              sound.length(),
              sound.checksum(),
              sound.recordCount(),
              sound.keyBytes() + 1 - of,
              sound.valueBytes() + of,
              sound.place());
      forgery = new Forgery(table, with(before, List.of(entry), before.changes()));
      write(changed);
      assertRefused(
          "%s differs from the manifest: %s expected=%d actual=%d"
              .formatted(
                  of == 0 ? "sum of key lengths" : "sum of value lengths", file(), sum + 1, sum),
          CURE);
      changed.putLong(place, sum);
      forgery.write(changed);
    }
  }

  @Test
  void changesOverFilesWithoutKeysAreRefused() throws Exception {
    TestData data = TestData.random(5, 60, Lengths.FIXED, Lengths.FIXED, 40);
    manifest = data.publish(table, WriterOptions.builder().approximate().partitions(1).build());
    SegmentFile segment = new SegmentFile(1, new UUID(1, 2), 200, 0, 0, -1, 1, 0);
    Changes changes = new Changes(List.of(segment), 1, Map.of(), History.NONE);
    Manifest forged = with(manifest, manifest.partitions(), changes);
    Files.write(directory().resolve("manifest.json"), forged.encode());
    String refusal = "a file without keys cannot have changes: " + file();
    assertThatThrownBy(() -> SnapshotReader.open(table)).hasMessageStartingWith(refusal);
    assertRefused(refusal, "; rebuild the table");
  }

  private static Manifest with(Manifest old, List<PartitionFile> partitions, Changes changes) {
    return new Manifest(
        old.identity(),
        old.schema(),
        old.options(),
        partitions,
        old.properties(),
        old.sourcePositions(),
        changes,
        old.validity());
  }
}
