package io.bsdb.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.bsdb.conformance.ConformanceDamage.Base;
import io.bsdb.conformance.ConformanceDamage.Case;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The tables of the folder {@code conformance} that have a history. */
final class ConformanceHistory {
  private static final String CORRUPT = "corrupt";
  private static final Instant START = Instant.parse("1969-12-31T23:59:58Z");

  /**
   * A row.
   *
   * @param number of which its other columns are made; null: it is ended
   */
  private record Row(String item, int second, @Nullable Integer number) {}

  /** The rows of the table by key, ended ones included. */
  private final TreeMap<byte[], Row> rows = new TreeMap<>(Arrays::compareUnsigned);

  private final String name;
  private final Schema schema;
  private final RowCodec codec;
  private final WriterOptions.Builder options;
  private final List<byte[]> leading = new ArrayList<>();
  private int changes;

  private ConformanceHistory(String name, Schema schema, WriterOptions.Builder options) {
    this.name = name;
    this.schema = schema;
    this.codec = RowCodec.of(schema);
    this.options = options.schema(schema);
  }

  static List<ConformanceHistory> good() {
    ConformanceHistory plain =
        new ConformanceHistory(
            "history",
            prices("TIMESTAMP_LTZ(3)").build(),
            options(Layout.COMPACT, 3, null).blockSize(512));
    ConformanceHistory compressed =
        new ConformanceHistory(
            "history-compressed",
            prices("TIMESTAMP(9)").build(),
            options(Layout.COMPRESSED, 2, Duration.ofDays(365_000)).blockSize(512).frameSize(128));
    ConformanceHistory keyOnly =
        new ConformanceHistory(
            "history-of-key-only",
            Schema.builder()
                .column("item", "STRING")
                .column("since", "TIMESTAMP_LTZ(0)")
                .primaryKey("item", "since")
                .keyEncoding(KeyEncoding.ORDERED)
                .build(),
            options(Layout.BLOCKED, 1, null));
    ConformanceHistory changed =
        new ConformanceHistory(
            "history-with-changes",
            prices("TIMESTAMP_LTZ(6)").build(),
            options(Layout.COMPACT, 2, null).blockSize(512));
    changed.changes = 2;
    List<ConformanceHistory> all = List.of(plain, compressed, keyOnly, changed);
    all.forEach(ConformanceHistory::addRows);
    return all;
  }

  private static WriterOptions.Builder options(
      Layout layout, int partitions, @Nullable Duration retention) {
    return WriterOptions.builder().history(retention).layout(layout).partitions(partitions);
  }

  private static Schema.Builder prices(String time) {
    return Schema.builder()
        .column("price", "INT")
        .column("item", "STRING")
        .column("since", time)
        .column("note", "STRING")
        .primaryKey("item", "since")
        .keyEncoding(KeyEncoding.ORDERED);
  }

  String name() {
    return name;
  }

  /** Adds rows from before 1970 on: of b the first is ended, of milk all but the first. */
  private void addRows() {
    Random random = new Random(31);
    for (String item : List.of("", "a", "a\u0000", "b", "bread", "milk", "ü")) {
      leading.add(codec.encodeKeyPrefix(item));
      int ended = random.nextInt(4);
      for (int i = 0; i < 9; i++) {
        boolean ends = i == 0 ? item.equals("b") : item.equals("milk") || random.nextInt(4) < ended;
        add(new Row(item, i, ends ? null : i));
      }
    }
  }

  private byte[] add(Row row) {
    byte[] key = codec.encodeKey(row.item, time(row));
    rows.put(key, row);
    return key;
  }

  private Object time(Row row) {
    Instant time = START.plusSeconds(row.second);
    boolean zoned = schema.keyColumns().get(1).type().toString().startsWith("TIMESTAMP_LTZ");
    return zoned ? time : LocalDateTime.ofInstant(time, ZoneOffset.UTC);
  }

  private static @Nullable String note(int number) {
    return number % 3 == 0 ? null : "note ".repeat(number);
  }

  private byte[] value(Row row) {
    if (row.number == null) {
      return RowWriter.ended();
    }
    return schema.columns().size() == 2
        ? codec.encodeValue()
        : codec.encodeValue(row.number, note(row.number));
  }

  private String json(Row row) {
    String item = row.item.replace("\u0000", "\\u0000");
    String key = "\"item\":\"%s\",\"since\":\"%s\"".formatted(item, text(time(row)));
    if (schema.columns().size() == 2) {
      return "{" + key + "}";
    }
    String note = row.number % 3 == 0 ? "null" : "\"" + note(row.number) + "\"";
    return "{\"price\":%d,%s,\"note\":%s}".formatted(row.number, key, note);
  }

  /** The time with its seconds, which are left out where they are 0. */
  private static String text(Object time) {
    return time instanceof LocalDateTime local
        ? local.format(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
        : time.toString();
  }

  /** Writes the table; describes it in {@link #describe}. */
  void write(Path table) throws IOException {
    Records base = Records.empty();
    rows.forEach((key, row) -> base.add(key, value(row)));
    base.publish(table, options.build());
    for (int change = 0; change < changes; change++) {
      try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
        change(writer, change);
        writer.publish();
      }
    }
  }

  /** Turns rows into ended ones and back, deletes both, and adds both. */
  private void change(DeltaWriter writer, int change) throws IOException {
    int number = change;
    for (Row row : List.copyOf(rows.values())) {
      if (number % 7 == 1) {
        Row turned = new Row(row.item, row.second, row.number == null ? number % 5 : null);
        writer.put(add(turned), value(turned));
      } else if (number % 7 == 3) {
        byte[] key = codec.encodeKey(row.item, time(row));
        writer.delete(key);
        rows.remove(key);
      }
      number++;
    }
    for (String item : List.of("bread", "c")) {
      boolean ends = item.equals("c") == (change == 0);
      Row row = new Row(item, 20 + change, ends ? null : change);
      writer.put(add(row), value(row));
    }
  }

  /** Returns the rows that lookups find. */
  Records shown() {
    Records shown = Records.empty();
    rows.forEach(
        (key, row) -> {
          if (row.number != null) {
            shown.add(key, value(row));
          }
        });
    return shown;
  }

  /** Says what rows are, what is absent, what is near keys, and what was valid at times. */
  void describe(ObjectNode table) {
    TreeMap<byte[], Row> shown = new TreeMap<>(rows);
    shown.values().removeIf(row -> row.number == null);
    Iterator<JsonNode> records = table.get("records").iterator();
    shown
        .values()
        .forEach(row -> ((ObjectNode) records.next()).putRawValue("row", new RawValue(json(row))));
    ArrayNode absent = (ArrayNode) table.get("absent");
    ArrayNode near = table.putArray("near");
    ArrayNode asOf = table.putArray("asOf");
    Set<List<String>> kinds = new HashSet<>();
    int number = 0;
    for (byte[] key : rows.keySet()) {
      if (valid(key) == null) {
        absent.add(ConformanceTables.base64(key));
      }
      byte[] below = key.clone();
      below[key.length - 1]--;
      List<byte[]> asked = List.of(key, Arrays.copyOf(key, key.length + 1), below);
      for (int i = 0; i < asked.size(); i++) {
        describeNear(asked.get(i), shown, kinds, number % asked.size() == i, near);
      }
      number++;
    }
    leading.add(codec.encodeKeyPrefix("c"));
    for (byte[] columns : leading) {
      byte @Nullable [] before = columns;
      for (long millis = START.toEpochMilli() - 1; millis < 22_000; millis += 999) {
        Instant time = Instant.ofEpochMilli(millis).plusNanos(7);
        byte[] found = rows.floorKey(KeyWriter.asOf(schema, columns, time));
        if (Arrays.equals(found, before)) {
          continue; // the same question again
        }
        before = found;
        boolean same =
            found != null
                && Arrays.mismatch(found, columns) == columns.length
                && valid(found) != null;
        ObjectNode described =
            asOf.addObject()
                .put("leading", ConformanceTables.base64(columns))
                .put("millis", millis);
        ConformanceOrder.put(described.put("nanos", 7), "key", same ? found : null);
      }
    }
  }

  /**
   * Says what is near a key, if that is asked for or of another kind than all before.
   *
   * @param kinds of what has been described
   */
  private void describeNear(
      byte[] key,
      NavigableMap<byte[], Row> shown,
      Set<List<String>> kinds,
      boolean isAskedFor,
      ArrayNode near) {
    byte @Nullable [] floor = valid(rows.floorKey(key));
    byte @Nullable [] ceiling = shown.ceilingKey(key);
    byte @Nullable [] lower = shown.lowerKey(key);
    byte @Nullable [] higher = shown.higherKey(key);
    boolean isNew =
        kinds.add(
            List.of(kind(key, floor), kind(key, ceiling), kind(key, lower), kind(key, higher)));
    if (isNew || isAskedFor) {
      ObjectNode described = near.addObject().put("key", ConformanceTables.base64(key));
      ConformanceOrder.put(described, "floor", floor);
      ConformanceOrder.put(described, "ceiling", ceiling);
      ConformanceOrder.put(described, "lower", lower);
      ConformanceOrder.put(described, "higher", higher);
    }
  }

  /** Returns how a key and what is near it differ, and whether ended rows lie between them. */
  private String kind(byte[] key, byte @Nullable [] answer) {
    if (answer == null) {
      return "none";
    }
    boolean isAbove = Arrays.compareUnsigned(answer, key) > 0;
    int between =
        isAbove
            ? rows.subMap(key, true, answer, false).size()
            : rows.subMap(answer, false, key, true).size();
    int common = Arrays.mismatch(key, answer);
    boolean isOfItem = common < 0 || common >= codec.encodeKeyPrefix(rows.get(answer).item).length;
    return "%b %b %b %d".formatted(common < 0, isAbove, isOfItem, Math.min(between, 2));
  }

  private byte @Nullable [] valid(byte @Nullable [] key) {
    return key == null || rows.get(key).number == null ? null : key;
  }

  static List<Case> damage() {
    ConformanceHistory sound =
        new ConformanceHistory(
            "history-sound", prices("TIMESTAMP_LTZ(3)").build(), options(Layout.COMPACT, 1, null));
    sound.addRows();
    Records data = Records.empty();
    sound.rows.forEach((key, row) -> data.add(key, sound.value(row)));
    Base base = new Base(sound.name, data, sound.options.build());
    String order = "\"order\" : \"history\",";
    String key = "[ \"item\", \"since\" ]";
    return List.of(
        bad("without-schema", base, text -> replace(text, "\"schema\"", "\"columns\"")),
        bad("of-one-key-column", base, text -> replace(text, key, "[ \"since\" ]")),
        bad("of-another-last-column", base, text -> replace(text, key, "[ \"since\", \"item\" ]")),
        bad("of-plain-keys", base, text -> replace(text, "\"ordered\"", "\"plain\"")),
        bad("in-version-1", base, text -> replace(text, "Version\" : 2", "Version\" : 1")),
        bad("without-lower-bound", base, text -> replace(text, "\"lowerBound\"", "\"bound\"")),
        bad(
            "horizon-without-a-time",
            base,
            text -> replace(text, order, order + "\"horizon\" : \"2026-11-20\",")),
        bad("horizon-null", base, text -> replace(text, order, order + "\"horizon\" : null,")));
  }

  private static Case bad(String name, Base base, UnaryOperator<String> change) {
    return new Case(
        "history-" + name, CORRUPT, false, base, table -> table.manifestChange = change);
  }

  private static String replace(String text, String old, String changed) {
    if (!text.contains(old)) {
      throw new IllegalStateException("the manifest does not hold " + old);
    }
    return text.replace(old, changed);
  }
}
