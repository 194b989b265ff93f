package io.bsdb.conformance;

import static io.bsdb.format.SectionKind.HEADS;
import static io.bsdb.format.SectionKind.ORDER_INDEX;
import static io.bsdb.format.SectionKind.POSITIONS;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.conformance.ConformanceDamage.Base;
import io.bsdb.conformance.ConformanceDamage.Case;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.testkit.TablePieces;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tables of the folder {@code conformance} that are in key order. */
final class ConformanceOrder {
  private static final String CORRUPT = "corrupt";
  private static final String UNSUPPORTED = "unsupported";
  private static final int KEYS = 16;
  private static final int NODE_BYTES = 128;
  private static final Pattern BOUND = Pattern.compile("(\"lowerBound\" : \")[^\"]+(\")");

  /** A sound table. */
  record Good(String name, Records data, WriterOptions.Builder options) {}

  private static final Base PLAIN = base("order-plain", options(Layout.COMPACT, 1).blockSize(512));
  private static final Base FRAMES =
      base("order-frames", options(Layout.COMPRESSED, 1).blockSize(512).frameSize(128));
  private static final Base TWO = base("order-two", options(Layout.COMPACT, 2).blockSize(512));
  private static final Base EVEN =
      new Base(
          "order-even",
          Records.random(23, 100, Lengths.FIXED, Lengths.FIXED, 4),
          options(Layout.COMPACT, 1).build());
  private static final Base HASHED =
      new Base(
          "order-hashed",
          Records.random(24, 9, Lengths.FIXED, Lengths.FIXED, 4),
          WriterOptions.builder().layout(Layout.COMPACT).partitions(1).build());
  private static final Base APPROXIMATE =
      new Base(
          "order-approximate",
          Records.random(24, 9, Lengths.FIXED, Lengths.FIXED, 4),
          WriterOptions.builder().layout(Layout.COMPACT).partitions(1).approximate().build());

  private final List<Case> cases = new ArrayList<>();

  private ConformanceOrder() {}

  private static WriterOptions.Builder options(Layout layout, int partitions) {
    return WriterOptions.builder().order(RecordOrder.KEY).layout(layout).partitions(partitions);
  }

  private static Base base(String name, WriterOptions.Builder options) {
    return new Base(
        name, Records.random(22, 90, Lengths.VARYING, Lengths.VARYING, 40), options.build());
  }

  static List<Good> good() {
    List<Good> good = new ArrayList<>();
    Records varied = ConformanceTables.varied(21, 60);
    for (Layout layout : Layout.values()) {
      if (layout != Layout.SYMBOLS) {
        good.add(new Good("order-" + layout.label(), varied, options(layout, 3)));
        good.add(
            new Good("order-ties-" + layout.label(), ties(), options(layout, 2).blockSize(4096)));
      }
    }
    good.add(
        new Good(
            "order-without-point-index", ties(), options(Layout.COMPRESSED, 2).pointIndex(false)));
    good.add(
        new Good(
            "order-of-three-levels",
            Records.random(25, 1700, Lengths.VARYING, Lengths.VARYING, 120),
            options(Layout.COMPACT, 1).blockSize(512)));
    Records one = Records.random(26, 1, Lengths.FIXED, Lengths.FIXED, 3);
    good.add(new Good("order-of-one-record", one, options(Layout.COMPRESSED, 4)));
    good.add(new Good("order-of-no-records", Records.empty(), options(Layout.COMPACT, 4)));
    return good;
  }

  /** Keys that begin with each other, of lowest and highest bytes, after a long common start. */
  private static Records ties() {
    Random random = new Random(27);
    TreeMap<byte[], byte[]> records = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < 200; i++) {
      byte[] key = new byte[(i % 4 == 0 ? 1 : 70) + random.nextInt(14)];
      for (int k = Math.max(0, key.length - 13); k < key.length; k++) {
        key[k] = (byte) -random.nextInt(2);
      }
      records.put(key, new byte[] {(byte) i});
    }
    Records data = Records.empty();
    records.forEach(data::add);
    return data;
  }

  /** Says which keys are near some of those that are there and some that are not. */
  static void describe(ObjectNode table, Records data) {
    TreeMap<byte[], byte[]> records = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < data.count(); i++) {
      records.put(data.keys().get(i), data.values().get(i));
    }
    List<byte[]> asked = new ArrayList<>(List.of(new byte[] {-1, -1, -1}));
    for (byte[] key : data.absentKeys(3)) {
      if (key.length > 0 && key.length < 1000) {
        asked.add(key);
      }
    }
    int step = Math.max(1, data.count() / 20);
    for (int i = 0; i < data.count(); i += step) {
      byte[] key = data.keys().get(i);
      asked.add(key);
      asked.add(Arrays.copyOf(key, key.length + 1));
      byte[] above = key.clone();
      above[i % key.length]++;
      asked.add(above);
    }
    ArrayNode near = table.putArray("near");
    for (byte[] key : asked) {
      ObjectNode described = near.addObject().put("key", ConformanceTables.base64(key));
      put(described, "floor", records.floorKey(key));
      put(described, "ceiling", records.ceilingKey(key));
      put(described, "lower", records.lowerKey(key));
      put(described, "higher", records.higherKey(key));
      put(described, "longestPrefix", longestPrefix(records, key));
    }
  }

  private static byte @Nullable [] longestPrefix(Map<byte[], byte[]> records, byte[] key) {
    for (int length = key.length; length > 0; length--) {
      byte[] prefix = Arrays.copyOf(key, length);
      if (records.containsKey(prefix)) {
        return prefix;
      }
    }
    return null;
  }

  static void put(ObjectNode described, String name, byte @Nullable [] key) {
    described.put(name, key == null ? null : ConformanceTables.base64(key));
  }

  static List<Case> damage() {
    ConformanceOrder order = new ConformanceOrder();
    order.manifest();
    order.orderIndex();
    order.positions();
    order.heads();
    order.records();
    return order.cases;
  }

  private void add(
      String name, String fails, boolean full, Base base, Consumer<TablePieces> change) {
    cases.add(new Case("order-" + name, fails, full, base, change));
  }

  private void text(String name, String fails, Base base, String old, String changed) {
    add(
        name,
        fails,
        false,
        base,
        table ->
            table.manifestChange =
                text -> {
                  if (!text.contains(old)) {
                    throw new IllegalStateException("the manifest does not hold " + old);
                  }
                  return text.replace(old, changed);
                });
  }

  private void manifest() {
    String order = "\"order\" : \"key\",";
    text("unknown", UNSUPPORTED, PLAIN, order, "\"order\" : \"value\",");
    text("null", CORRUPT, PLAIN, order, "\"order\" : null,");
    text("missing", CORRUPT, PLAIN, order, "");
    text("in-version-1", CORRUPT, PLAIN, "\"formatVersion\" : 2", "\"formatVersion\" : 1");
    text("with-segments", CORRUPT, PLAIN, order, order + "\"segments\" : [ ],");
    text(
        "with-plain-keys",
        CORRUPT,
        PLAIN,
        order,
        order
            + "\"schema\" : {\"columns\" : [{\"name\" : \"a\", \"type\" : \"BYTES NOT NULL\"}], \"primaryKey\" : [\"a\"]},");
    String bound = "\"lowerBound\" : \"";
    text("lower-bound-missing", CORRUPT, PLAIN, bound + "\"", "\"other\" : \"\"");
    text("lower-bound-of-the-first-partition", CORRUPT, PLAIN, bound + "\"", bound + "AAA=\"");
    second("lower-bound-of-another-key", "AAAA");
    second("lower-bounds-do-not-ascend", "");
    second("lower-bound-no-base64", "A-_=");
    second("lower-bound-not-padded", "AA");
    second("lower-bound-too-long", "/".repeat(87_384));
    Consumer<TablePieces> claim =
        table ->
            table.manifestChange =
                text ->
                    text.replace("\"formatVersion\" : 1,", "\"formatVersion\" : 2," + order)
                        .replace(
                            "\"recordCount\" : 9,", "\"recordCount\" : 9, \"lowerBound\" : \"\",");
    add("of-a-file-in-hash-order", CORRUPT, false, HASHED, claim);
    add("of-a-file-without-keys", CORRUPT, false, APPROXIMATE, claim);
  }

  /** Changes the lower bound of the second partition. */
  private void second(String name, String changed) {
    add(
        name,
        CORRUPT,
        false,
        TWO,
        table ->
            table.manifestChange = text -> BOUND.matcher(text).replaceFirst("$1" + changed + "$2"));
  }

  private void index(String name, boolean full, Consumer<ByteBuffer> change) {
    add("index-" + name, CORRUPT, full, PLAIN, table -> change.accept(table.section(ORDER_INDEX)));
  }

  /** Where the heads of the lowest level begin: there are fewer than 17 blocks. */
  private static int heads(ByteBuffer section) {
    int keys = KEYS + section.getInt(4) + section.getInt(8);
    return (keys + 7) / 8 * 8;
  }

  private void orderIndex() {
    add("index-missing", CORRUPT, false, PLAIN, table -> table.sections.remove(ORDER_INDEX.id()));
    add("index-too-short", CORRUPT, false, PLAIN, table -> table.resize(ORDER_INDEX, -1));
    add("index-too-long", CORRUPT, false, PLAIN, table -> table.resize(ORDER_INDEX, 1));
    add(
        "index-of-15-bytes",
        CORRUPT,
        false,
        PLAIN,
        table -> table.resize(ORDER_INDEX, 15 - table.section(ORDER_INDEX).limit()));
    index("block-count", false, section -> section.putInt(0, section.getInt(0) - 1));
    index("block-count-too-high", false, section -> section.putInt(0, -1));
    index("first-key-empty", false, section -> section.putInt(4, 0));
    index("first-key-too-long", false, section -> section.putInt(4, 65_536));
    index("last-key-empty", false, section -> section.putInt(8, 0));
    index("last-key-too-long", false, section -> section.putInt(8, -1));
    index("keys-descend", false, section -> section.put(KEYS, (byte) -1));
    index(
        "heads-descend",
        false,
        section -> section.putLong(heads(section) + 16, section.getLong(heads(section))));
    index("first-key", true, section -> increment(section, KEYS + section.getInt(4) - 1, -1));
    index(
        "last-key",
        true,
        section -> increment(section, KEYS + section.getInt(4) + section.getInt(8) - 1, 1));
    index(
        "head",
        true,
        section -> section.putLong(heads(section) + 16, section.getLong(heads(section) + 8)));
    index("skip", true, section -> section.putShort(heads(section) + NODE_BYTES, (short) -1));
  }

  private static void increment(ByteBuffer section, int at, int change) {
    section.put(at, (byte) (section.get(at) + change));
  }

  private void positions() {
    add("positions-missing", CORRUPT, false, PLAIN, t -> t.sections.remove(POSITIONS.id()));
    add("positions-too-short", CORRUPT, false, PLAIN, table -> table.resize(POSITIONS, -1));
    add("positions-too-long", CORRUPT, false, PLAIN, table -> table.resize(POSITIONS, 1));
    // 90 records: 7 bits
    Consumer<TablePieces> ofRecordCount = table -> position(table, 90);
    add("positions-of-the-record-count", CORRUPT, false, PLAIN, ofRecordCount);
    Consumer<TablePieces> twice =
        table -> position(table, (table.section(POSITIONS).getShort(0) >>> 7) & 0x7F);
    add("position-twice", CORRUPT, true, PLAIN, twice);
  }

  private static void position(TablePieces table, int number) {
    ByteBuffer section = table.section(POSITIONS);
    section.put(0, (byte) ((section.get(0) & 0x80) | number));
  }

  private void heads() {
    add("heads-missing", CORRUPT, false, FRAMES, table -> table.sections.remove(HEADS.id()));
    add("heads-too-short", CORRUPT, false, FRAMES, table -> table.resize(HEADS, -1));
    add("heads-too-long", CORRUPT, false, FRAMES, table -> table.resize(HEADS, 1));
    add("heads-descend", CORRUPT, false, FRAMES, table -> head(table, 0x7FFF));
    add("heads-skip", CORRUPT, true, FRAMES, table -> table.section(HEADS).putShort(0, (short) -1));
  }

  /** Changes the first record's head. */
  private static void head(TablePieces table, int head) {
    ByteBuffer section = table.section(HEADS);
    int at = Short.BYTES * table.section(ORDER_INDEX).getInt(0);
    section.putShort(at, (short) ((section.getShort(at) & 0x8000) | head));
  }

  private void records() {
    Consumer<TablePieces> swap =
        table -> {
          byte[] content = table.content(0);
          byte[] first = Arrays.copyOf(content, 12);
          System.arraycopy(content, 12, content, 0, 12);
          System.arraycopy(first, 0, content, 12, 12);
          table.content(0, content);
        };
    add("of-records-swapped", CORRUPT, true, EVEN, swap);
  }
}
