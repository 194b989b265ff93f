package io.bsdb.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.testkit.TablePieces;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;

/** Writes the folder {@code conformance} again; its README says how it is run. */
final class ConformanceTables {
  /** Values up to this length stand in the expectations themselves. */
  private static final int MAX_LITERAL = 1000;

  /** Records that a large table's expectations name. */
  private static final int SAMPLES = 60;

  private final Path folder;
  private final Path temporary;
  private final Predicate<String> wanted;
  private final ArrayNode good = JsonNodeFactory.instance.arrayNode();
  private final ArrayNode bad = JsonNodeFactory.instance.arrayNode();

  private ConformanceTables(Path folder, Path temporary, Predicate<String> wanted) {
    this.folder = folder;
    this.temporary = temporary;
    this.wanted = wanted;
  }

  /**
   * Writes tables and expectations in place of those that are there.
   *
   * @param start of the names of those to be written; {@code all} for all
   */
  static void write(Path folder, Path temporary, String start) throws IOException {
    boolean all = start.equals("all");
    ConformanceTables tables =
        new ConformanceTables(folder, temporary, name -> all || name.startsWith(start));
    ObjectMapper json = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    File file = folder.resolve("cases.json").toFile();
    JsonNode before = json.readTree(file);
    tables.deleteFrom("tables", before.get("good"), tables.good);
    tables.deleteFrom("bad", before.get("bad"), tables.bad);
    tables.raw();
    tables.approximate();
    tables.rows();
    tables.unusual();
    tables.damaged();
    tables.changes();
    tables.order();
    tables.history();
    ObjectNode cases = JsonNodeFactory.instance.objectNode();
    cases.set("good", tables.good);
    cases.set("bad", tables.bad);
    json.writeValue(file, cases);
  }

  /** Deletes the tables to be written again, and keeps the expectations of the others. */
  private void deleteFrom(String kind, JsonNode before, ArrayNode kept) throws IOException {
    for (JsonNode expected : before) {
      String name = expected.get("table").textValue().substring(kind.length() + 1);
      if (wanted.test(name)) {
        DirectoryTree.delete(folder.resolve(kind).resolve(name));
      } else {
        kept.add(expected);
      }
    }
  }

  private static WriterOptions.Builder options(Layout layout, int partitions) {
    return WriterOptions.builder().layout(layout).partitions(partitions);
  }

  /** Records of all sorts of lengths, one of them of 200,000 bytes. */
  static Records varied(long seed, int count) {
    Records data = Records.random(seed, count, Lengths.VARYING, Lengths.VARYING, 80);
    byte[] large = new byte[200_000];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) ('a' + i / 1000 % 26);
    }
    data.add("large".getBytes(US_ASCII), large);
    return data.add("none".getBytes(US_ASCII), new byte[0]);
  }

  /** Keys whose lengths take one, two and three bytes. */
  private static Records longKeys() {
    Records data = Records.empty();
    for (int length : new int[] {1, 127, 128, 129, 16_383, 16_384, 65_535}) {
      byte[] key = new byte[length];
      Arrays.fill(key, (byte) length);
      data.add(key, Integer.toString(length).getBytes(US_ASCII));
    }
    return data;
  }

  private void raw() throws IOException {
    for (Layout layout : Layout.values()) {
      add(layout.label(), varied(1, 60), options(layout, 2));
      Records fixed = Records.random(2, 300, Lengths.FIXED, Lengths.FIXED, 12);
      add(layout.label() + "-fixed", fixed, options(layout, 1));
    }
    add(
        "fixed-keys",
        Records.random(3, 50, Lengths.FIXED, Lengths.VARYING, 40),
        options(Layout.COMPACT, 3));
    add(
        "fixed-values",
        Records.random(4, 50, Lengths.VARYING, Lengths.FIXED, 9),
        options(Layout.COMPRESSED, 3));
    Records emptyValues = Records.random(5, 90, Lengths.FIXED, Lengths.FIXED, 0);
    add("empty-values", emptyValues, options(Layout.COMPACT, 1));
    add("long-keys", longKeys(), options(Layout.COMPACT, 1).signatureBits(0));
    add("dictionary", Records.phrases(6, 1000), options(Layout.COMPRESSED, 1));
    add("symbols-phrases", Records.phrases(6, 300), options(Layout.SYMBOLS, 2));
    add(
        "small-blocks",
        Records.random(7, 500, Lengths.VARYING, Lengths.VARYING, 60),
        options(Layout.COMPACT, 1).blockSize(512).signatureBits(32));
    add("no-records", Records.empty(), options(Layout.COMPACT, 3));
    Records two = Records.random(8, 2, Lengths.VARYING, Lengths.VARYING, 20);
    add("partitions-without-records", two, options(Layout.BLOCKED, 5));
    Records many = Records.random(9, 3200, Lengths.FIXED, Lengths.FIXED, 2);
    add(
        "sux4j",
        Records.random(10, 60, Lengths.VARYING, Lengths.VARYING, 80),
        options(Layout.COMPACT, 2).perfectHash(PerfectHashConstruction.SUX4J));
    add(
        "sux4j-groups",
        many,
        options(Layout.COMPACT, 1).perfectHash(PerfectHashConstruction.SUX4J));
    add(
        "pilot-dense",
        many,
        options(Layout.COMPACT, 1).perfectHash(PerfectHashConstruction.PILOT_DENSE));
  }

  private void approximate() throws IOException {
    for (Layout layout : Layout.values()) {
      add(
          "approximate-" + layout.label(),
          Records.random(11, 100, Lengths.VARYING, Lengths.VARYING, 40),
          options(layout, 2).approximate().signatureBits(13));
    }
    add(
        "approximate-1-bit",
        Records.random(12, 100, Lengths.VARYING, Lengths.FIXED, 5),
        options(Layout.COMPACT, 1).approximate().signatureBits(1));
    Records none = Records.random(13, 100, Lengths.VARYING, Lengths.FIXED, 0);
    for (Layout layout : List.of(Layout.COMPACT, Layout.COMPRESSED)) {
      add(
          "approximate-empty-values-" + layout.label(),
          none,
          options(layout, 1).approximate().signatureBits(8));
    }
    add(
        "pilot-parts",
        Records.random(14, 60_100, Lengths.FIXED, Lengths.FIXED, 2),
        options(Layout.COMPACT, 1).approximate().signatureBits(5));
    add(
        "approximate-sux4j",
        Records.random(15, 100, Lengths.VARYING, Lengths.VARYING, 40),
        options(Layout.COMPACT, 1)
            .approximate()
            .signatureBits(17)
            .perfectHash(PerfectHashConstruction.SUX4J));
  }

  private void rows() throws IOException {
    for (ConformanceRows rows : ConformanceRows.all()) {
      rows(rows, options(rows.layout(), 2).schema(rows.schema()));
    }
  }

  private void rows(ConformanceRows rows, WriterOptions.Builder options) throws IOException {
    ObjectNode table = add(rows.name(), rows.data(), options);
    for (int i = 0; i < rows.json().size(); i++) {
      ((ObjectNode) table.get("records").get(i))
          .putRawValue("row", new RawValue(rows.json().get(i)));
    }
  }

  /** What writers of version 1 do not do, but may. */
  private void unusual() throws IOException {
    if (!wanted.test("unusual")) {
      return;
    }
    Records data = Records.random(16, 40, Lengths.VARYING, Lengths.VARYING, 30);
    Path sound = temporary.resolve("unusual");
    data.publish(sound, options(Layout.COMPACT, 1).blockSize(512).build());
    TablePieces pieces = TablePieces.of(sound);
    List<Integer> kinds = new ArrayList<>(pieces.sections.keySet());
    kinds.sort(Comparator.reverseOrder());
    kinds.forEach(kind -> pieces.sections.put(kind, pieces.sections.remove(kind)));
    pieces.sections.put(SectionKind.DICTIONARY.id(), new byte[] {1, 2, 3});
    pieces.sections.put(4711, new byte[] {1, 2, 3});
    pieces.sectionAlignment = 7;
    pieces.resize(SectionKind.PROPERTIES, 5);
    pieces.resize(SectionKind.BLOCK_INDEX, 3);
    pieces.section(SectionKind.PROPERTIES).putLong(56, -1).putInt(64, -1);
    pieces.block(0).putShort(14, (short) -2).putInt(16, 5).putShort(20, (short) 5);
    pieces.block(0).putShort(22, (short) -1);
    pieces.blocksOffset = 129;
    pieces.headerChange =
        header -> header.putInt(12, -1).putLong(32, 129).putLong(40, -1).putLong(52, -1);
    pieces.directory =
        entries -> entries.stream().map(ConformanceTables::optionalIfUnknown).toList();
    pieces.manifestChange =
        text ->
            text.replace(
                "\"hash\"",
                "\"later\" : [ { \"a\" : 1e400, \"b\" : %s } ],\n  \"hash\""
                    .formatted("9".repeat(1000)));
    Path table = folder.resolve("tables").resolve("unusual");
    pieces.write(table);
    describe("unusual", table, data);
  }

  private void changes() throws IOException {
    for (ConformanceDeltas.Good deltas : ConformanceDeltas.good()) {
      if (!wanted.test(deltas.name())) {
        continue;
      }
      Path table = folder.resolve("tables").resolve(deltas.name());
      Records data = deltas.table().write(table);
      Table.at(table).prune(1);
      Files.delete(table.resolve("LOCK"));
      DirectoryTree.delete(table.resolve("staging"));
      ObjectNode described =
          describe(deltas.name(), table, data)
              .put("recordCount", ConformanceDeltas.inService(table).recordCount());
      for (byte[] key : ConformanceDeltas.deletedKeys(data)) {
        ((ArrayNode) described.get("absent")).add(base64(key));
      }
      if (ConformanceDeltas.inService(table).order() == RecordOrder.KEY) {
        ConformanceOrder.describe(described, data);
      }
    }
    for (ConformanceDeltas.Bad deltas : ConformanceDeltas.bad()) {
      if (!wanted.test(deltas.name())) {
        continue;
      }
      deltas.write(temporary.resolve("deltas"), folder.resolve("bad").resolve(deltas.name()));
      addBad(deltas.name(), deltas.fails(), deltas.full(), ConformanceDeltas.Bad.keys());
    }
  }

  private void addBad(String name, String fails, boolean full, List<byte[]> lookups) {
    ObjectNode described = bad.addObject();
    described.put("table", "bad/" + name).put("fails", fails);
    if (full) {
      described.put("found", "by full verification");
    }
    ArrayNode keys = described.putArray("keys");
    lookups.forEach(key -> keys.add(base64(key)));
  }

  private static Section optionalIfUnknown(Section section) {
    return section.kind() <= SectionKind.DICTIONARY.id()
        ? section
        : new Section(section.kind(), Section.Requirement.OPTIONAL, section.offset(), 3, 0);
  }

  private void order() throws IOException {
    for (ConformanceOrder.Good ordered : ConformanceOrder.good()) {
      ObjectNode table = add(ordered.name(), ordered.data(), ordered.options());
      ConformanceOrder.describe(table, ordered.data());
    }
    ConformanceRows rows = ConformanceRows.ordered();
    rows(rows, options(rows.layout(), 2).order(RecordOrder.KEY).schema(rows.schema()));
  }

  private void history() throws IOException {
    for (ConformanceHistory history : ConformanceHistory.good()) {
      if (!wanted.test(history.name())) {
        continue;
      }
      Path table = folder.resolve("tables").resolve(history.name());
      history.write(table);
      Table.at(table).prune(1);
      Files.delete(table.resolve("LOCK"));
      DirectoryTree.delete(table.resolve("staging"));
      ObjectNode described =
          describe(history.name(), table, history.shown())
              .put("recordCount", ConformanceDeltas.inService(table).recordCount());
      history.describe(described);
    }
  }

  private void damaged() throws IOException {
    for (ConformanceDamage.Case damage : ConformanceDamage.all()) {
      if (!wanted.test(damage.name())) {
        continue;
      }
      damage.write(temporary, folder.resolve("bad").resolve(damage.name()));
      List<byte[]> all = damage.base().data().keys();
      addBad(
          damage.name(), damage.fails(), damage.full(), all.subList(0, Math.min(40, all.size())));
    }
  }

  /** Writes a table, if it is wanted; returns what is expected of it, to be added to. */
  private ObjectNode add(String name, Records data, WriterOptions.Builder options)
      throws IOException {
    if (!wanted.test(name)) {
      return expected(name);
    }
    Path table = folder.resolve("tables").resolve(name);
    data.publish(table, options.build());
    Files.delete(table.resolve("LOCK"));
    DirectoryTree.delete(table.resolve("staging"));
    return describe(name, table, data);
  }

  private ObjectNode expected(String name) {
    for (JsonNode expected : good) {
      if (expected.get("table").textValue().equals("tables/" + name)) {
        return (ObjectNode) expected;
      }
    }
    throw new IllegalArgumentException("table '" + name + "' is new: write it, too");
  }

  private ObjectNode describe(String name, Path table, Records data) throws IOException {
    ObjectNode described = good.addObject();
    described.put("table", "tables/" + name).put("recordCount", data.count());
    ArrayNode records = described.putArray("records");
    for (int i = 0; i < data.count(); i += data.count() > 500 ? data.count() / SAMPLES : 1) {
      addRecord(records, data.keys().get(i), data.values().get(i));
    }
    ArrayNode absent = described.putArray("absent");
    ArrayNode others = JsonNodeFactory.instance.arrayNode();
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      for (byte[] key : data.absentKeys(20)) {
        if (key.length > MAX_LITERAL && !name.equals("long-keys")) {
          continue;
        }
        byte[] value = reader.get(key);
        if (value == null) {
          absent.add(base64(key));
        } else {
          addRecord(others, key, value);
        }
      }
    }
    if (!others.isEmpty()) {
      described.set("falsePositives", others);
    }
    return described;
  }

  private static void addRecord(ArrayNode records, byte[] key, byte[] value) {
    ObjectNode entry = records.addObject().put("key", base64(key));
    if (value.length <= MAX_LITERAL) {
      entry.put("value", base64(value));
    } else {
      entry.putObject("value").put("length", value.length).put("sha256", sha256(value));
    }
  }

  static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
