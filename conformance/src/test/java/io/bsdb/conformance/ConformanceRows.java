package io.bsdb.conformance;

import io.bsdb.row.ColumnType;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.Layout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A typed table of the folder {@code conformance}: its rows, and their JSON written by hand. */
record ConformanceRows(String name, Schema schema, Layout layout, Records data, List<String> json) {
  private ConformanceRows(String name, Schema schema, Layout layout) {
    this(name, schema, layout, Records.empty(), new ArrayList<>());
  }

  static List<ConformanceRows> all() {
    return List.of(scalars(), keys(), nested(), maps(), keyOnly(), symbols());
  }

  private static Schema schema(String columns, String key) {
    return Schema.of(ColumnType.parseColumns(columns), List.of(key.split(" ", -1)));
  }

  /** Adds a row: its key and its values, and the JSON of both. */
  private void add(String row, List<Object> key, @Nullable Object... values) {
    RowCodec codec = RowCodec.of(schema);
    data.add(codec.encodeKey(key.toArray()), codec.encodeValue(values));
    json.add(row.replaceAll("\n *", ""));
  }

  private static ConformanceRows scalars() {
    Schema schema =
        schema(
            "text STRING, id BIGINT NOT NULL, code CHAR(4), bytes BYTES, flag BOOLEAN, "
                + "tiny TINYINT, small SMALLINT, number INT, big BIGINT, real FLOAT, double DOUBLE, "
                + "price DECIMAL(6, 2), huge DECIMAL(38, 10), day DATE, time TIME(3), "
                + "millis TIMESTAMP(3), nanos TIMESTAMP(9), instant TIMESTAMP_LTZ(6)",
            "id");
    ConformanceRows rows = new ConformanceRows("rows-scalars", schema, Layout.COMPACT);
    rows.add(
        """
        {"text":"Zürich \\"x\\"","id":1,"code":"CH","bytes":"AP8=","flag":true,"tiny":-128,
         "small":32767,"number":-2147483648,"big":9007199254740993,"real":0.3,"double":46.94809,
         "price":12.50,"huge":1234567890123456789012345678.0000000001,"day":"2024-02-29",
         "time":"10:15:30.500","millis":"2026-11-20T08:30:00",
         "nanos":"2026-11-20T08:30:00.000000001","instant":"1969-12-31T23:59:59.999999Z"}""",
        List.of(1L),
        "Zürich \"x\"",
        "CH",
        new byte[] {0, -1},
        true,
        (byte) -128,
        Short.MAX_VALUE,
        Integer.MIN_VALUE,
        9007199254740993L,
        0.3f,
        46.94809,
        new BigDecimal("12.50"),
        new BigDecimal("1234567890123456789012345678.0000000001"),
        LocalDate.of(2024, 2, 29),
        LocalTime.of(10, 15, 30, 500_000_000),
        LocalDateTime.of(2026, 11, 20, 8, 30),
        LocalDateTime.of(2026, 11, 20, 8, 30, 0, 1),
        Instant.parse("1969-12-31T23:59:59.999999Z"));
    rows.add(
        """
        {"text":null,"id":-2,"code":null,"bytes":null,"flag":null,"tiny":null,"small":null,
         "number":null,"big":null,"real":null,"double":null,"price":null,"huge":null,"day":null,
         "time":null,"millis":null,"nanos":null,"instant":null}""",
        List.of(-2L),
        new Object[17]);
    rows.add(
        """
        {"text":"","id":3,"code":"","bytes":"","flag":false,"tiny":0,"small":-1,"number":7,
         "big":-9223372036854775808,"real":"NaN","double":"-Infinity","price":-0.01,
         "huge":-1.0000000000,"day":"-0044-03-15","time":"00:00:00",
         "millis":"1969-12-31T23:59:59.999","nanos":"0000-01-01T00:00:00.120",
         "instant":"+12026-01-01T00:00:00Z"}""",
        List.of(3L),
        "",
        "",
        new byte[0],
        false,
        (byte) 0,
        (short) -1,
        7,
        Long.MIN_VALUE,
        Float.NaN,
        Double.NEGATIVE_INFINITY,
        new BigDecimal("-0.01"),
        new BigDecimal("-1.0000000000"),
        LocalDate.of(-44, 3, 15),
        LocalTime.MIDNIGHT,
        LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_000_000),
        LocalDateTime.of(0, 1, 1, 0, 0, 0, 120_000_000),
        Instant.parse("+12026-01-01T00:00:00Z"));
    List<String> doubles =
        List.of(
            "1.0E7", "9999999.5", "1.0E23", "5.0E-324", "9.99E-4", "0.001", "-0.0", "3.0", "0.002");
    for (int i = 0; i < doubles.size(); i++) {
      Object[] values = new Object[17];
      values[9] = Double.parseDouble(doubles.get(i));
      values[8] = i / 4f;
      rows.add(
          """
          {"text":null,"id":%d,"code":null,"bytes":null,"flag":null,"tiny":null,"small":null,
           "number":null,"big":null,"real":%s,"double":%s,"price":null,"huge":null,"day":null,
           "time":null,"millis":null,"nanos":null,"instant":null}"""
              .formatted(10 + i, i / 4f, doubles.get(i)),
          List.of(10L + i),
          values);
    }
    return rows;
  }

  private static ConformanceRows keys() {
    Schema schema =
        schema(
            "value INT, name STRING, day DATE, flag BOOLEAN, tiny TINYINT, small SMALLINT, "
                + "number INT, big BIGINT, real FLOAT, double DOUBLE, price DECIMAL(10, 2), "
                + "huge DECIMAL(38, 0), time TIME(0), millis TIMESTAMP(0), nanos TIMESTAMP_LTZ(9), "
                + "bytes VARBINARY(8), code CHAR(4)",
            "code bytes nanos millis time huge price double real big number small tiny flag day "
                + "name");
    ConformanceRows rows = new ConformanceRows("rows-keys", schema, Layout.BLOCKED);
    rows.add(
        """
        {"value":1,"name":"Zürich","day":"1969-12-31","flag":true,"tiny":-1,"small":-2,
         "number":-3,"big":-4,"real":0.0,"double":0.0,"price":1.28,"huge":-128,
         "time":"23:59:59.999","millis":"2026-11-20T08:30:00.120",
         "nanos":"2026-11-20T08:30:00.000000001Z","bytes":"AP8=","code":"CH"}""",
        List.of(
            "CH",
            new byte[] {0, -1},
            Instant.parse("2026-11-20T08:30:00.000000001Z"),
            LocalDateTime.of(2026, 11, 20, 8, 30, 0, 120_000_000),
            LocalTime.of(23, 59, 59, 999_000_000),
            BigInteger.valueOf(-128),
            new BigDecimal("1.28"),
            -0.0,
            -0.0f,
            -4L,
            -3,
            (short) -2,
            (byte) -1,
            true,
            LocalDate.of(1969, 12, 31),
            "Zürich"),
        1);
    rows.add(
        """
        {"value":null,"name":"","day":"1970-01-01","flag":false,"tiny":0,"small":0,
         "number":0,"big":0,"real":"NaN","double":"NaN","price":0.00,
         "huge":99999999999999999999999999999999999999,
         "time":"00:00:00","millis":"1970-01-01T00:00:00",
         "nanos":"1969-12-31T23:59:59.999999999Z","bytes":"","code":"C   "}""",
        List.of(
            "C   ",
            new byte[0],
            Instant.parse("1969-12-31T23:59:59.999999999Z"),
            LocalDateTime.of(1970, 1, 1, 0, 0),
            LocalTime.MIDNIGHT,
            new BigInteger("9".repeat(38)),
            BigDecimal.ZERO,
            Double.NaN,
            Float.NaN,
            0L,
            0,
            (short) 0,
            (byte) 0,
            false,
            LocalDate.EPOCH,
            ""),
        new Object[] {null});
    return rows;
  }

  private static ConformanceRows nested() {
    Schema schema =
        schema(
            "name STRING, point ROW<`x` INT, `y``` DOUBLE, `tags` ARRAY<STRING>>, "
                + "numbers ARRAY<INT>, lists ARRAY<ARRAY<STRING>>, counts MAP<STRING, BIGINT>, "
                + "days MAP<DATE, ROW<`a` BOOLEAN>>, large ARRAY<SMALLINT>",
            "name");
    ConformanceRows rows = new ConformanceRows("rows-nested", schema, Layout.COMPRESSED);
    rows.add(
        """
        {"name":"a","point":{"x":1,"y`":-2.5,"tags":["b","",null]},"numbers":[1,null,3],
         "lists":[["c"],[],null],"counts":{"d":4,"":null},"days":{"2024-02-29":{"a":true}},
         "large":[]}""",
        List.of("a"),
        List.of(1, -2.5, Arrays.asList("b", "", null)),
        Arrays.asList(1, null, 3),
        Arrays.asList(List.of("c"), List.of(), null),
        map("d", 4L, "", null),
        map(LocalDate.of(2024, 2, 29), List.of(true)),
        List.of());
    rows.add(
        """
        {"name":"b","point":null,"numbers":null,"lists":null,"counts":null,"days":null,
         "large":null}""",
        List.of("b"),
        new Object[6]);
    List<Short> large = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      large.add((short) (i * i));
      text.append(i == 0 ? "" : ",").append((short) (i * i));
    }
    rows.add(
        """
        {"name":"c","point":{"x":null,"y`":null,"tags":null},"numbers":[],"lists":[],"counts":{},
         "days":{"1970-01-01":null},"large":[%s]}"""
            .formatted(text),
        List.of("c"),
        Arrays.asList(null, null, null),
        List.of(),
        List.of(),
        Map.of(),
        map(LocalDate.EPOCH, null),
        large);
    return rows;
  }

  /** Maps whose keys are no texts, and those that are arrays of pairs in JSON. */
  private static ConformanceRows maps() {
    Schema schema =
        schema(
            "id INT, flags MAP<BOOLEAN, INT>, numbers MAP<INT, STRING>, reals MAP<DOUBLE, INT>, "
                + "prices MAP<DECIMAL(4, 2), INT>, bytes MAP<BYTES, INT>, names MAP<STRING, INT>, "
                + "lists MAP<ARRAY<INT>, MAP<BIGINT, DATE>>",
            "id");
    ConformanceRows rows = new ConformanceRows("rows-maps", schema, Layout.COMPACT);
    rows.add(
        """
        {"id":1,"flags":{"true":1,"false":null},"numbers":{"-7":"a","0":null},
         "reals":{"-0.5":1,"1.0E7":2,"NaN":3},"prices":{"-0.01":1,"12.50":2},"bytes":{"AP8=":1},
         "names":{"null":1,"\\"":2},"lists":[[[1,null],{"-1":"1970-01-01"}]]}""",
        List.of(1),
        map(true, 1, false, null),
        map(-7, "a", 0, null),
        map(-0.5, 1, 1e7, 2, Double.NaN, 3),
        map(new BigDecimal("-0.01"), 1, new BigDecimal("12.50"), 2),
        map(new byte[] {0, -1}, 1),
        map("null", 1, "\"", 2),
        map(Arrays.asList(1, null), map(-1L, LocalDate.EPOCH)));
    rows.add(
        """
        {"id":2,"flags":{},"numbers":[[null,"a"],[3,null]],"reals":{},"prices":[[1.00,1],[null,2]],
         "bytes":[["AQ==",1],["AQ==",2]],"names":[["null",1],[null,2]],"lists":[]}""",
        List.of(2),
        map(),
        map(null, "a", 3, null),
        map(),
        map(new BigDecimal("1.00"), 1, null, 2),
        map(new byte[] {1}, 1, new byte[] {1}, 2),
        map("null", 1, null, 2),
        map());
    return rows;
  }

  private static ConformanceRows keyOnly() {
    Schema schema = schema("name STRING", "name");
    ConformanceRows rows = new ConformanceRows("rows-of-key-only", schema, Layout.COMPACT);
    for (String name : List.of("a", "b", "ü")) {
      rows.add("{\"name\":\"%s\"}".formatted(name), List.of(name));
    }
    return rows;
  }

  /** So many rows that columns get symbol tables. */
  private static ConformanceRows symbols() {
    Schema schema =
        schema(
            "town STRING, id INT, zone STRING, bytes BYTES, price DECIMAL(20, 1), "
                + "tags ARRAY<STRING>, place ROW<`x` INT, `label` STRING>, names MAP<STRING, STRING>",
            "town id");
    ConformanceRows rows = new ConformanceRows("rows-symbols", schema, Layout.SYMBOLS);
    for (int i = 0; i < 120; i++) {
      String zone = i % 5 == 0 ? null : i % 2 == 0 ? "Europe/Zurich" : "Asia/Tokyo";
      String zoneJson = zone == null ? "null" : "\"" + zone + "\"";
      rows.add(
          """
          {"town":"town number %d","id":%d,"zone":%s,"bytes":"AAECAwQ=","price":%d.5,
           "tags":["old town","tag %d",null],"place":{"x":%d,"label":"place %d"},
           "names":{"de":"Stadt %d","it":null}}"""
              .formatted(i, i, zoneJson, i, i % 7, i, i, i),
          List.of("town number " + i, i),
          zone,
          new byte[] {0, 1, 2, 3, 4},
          new BigDecimal(i + ".5"),
          Arrays.asList("old town", "tag " + i % 7, null),
          List.of(i, "place " + i),
          map("de", "Stadt " + i, "it", null));
    }
    return rows;
  }

  /** Keys that sort, each kind of column in front of another one and last. */
  static ConformanceRows ordered() {
    Schema schema =
        schema(
                "value STRING, flag BOOLEAN, tiny TINYINT, small SMALLINT, number INT, big BIGINT, "
                    + "real FLOAT, double DOUBLE, price DECIMAL(10, 2), huge DECIMAL(38, 10), day DATE, "
                    + "time TIME(3), millis TIMESTAMP(3), nanos TIMESTAMP_LTZ(9), name STRING, "
                    + "bytes BYTES, rest BYTES",
                "flag tiny small number big real double price huge day time millis nanos name bytes "
                    + "rest")
            .withKeyEncoding(KeyEncoding.ORDERED);
    ConformanceRows rows = new ConformanceRows("order-rows", schema, Layout.COMPACT);
    rows.add(
        """
        {"value":"least","flag":false,"tiny":-128,"small":-32768,"number":-2147483648,
         "big":-9223372036854775808,"real":"-Infinity","double":-1.5,"price":-99999999.99,
         "huge":-9999999999999999999999999999.9999999999,"day":"-0001-12-31","time":"00:00:00",
         "millis":"1969-12-31T23:59:59.999","nanos":"1969-12-31T23:59:59.999999999Z","name":"",
         "bytes":"AAAA","rest":""}""",
        List.of(
            false,
            Byte.MIN_VALUE,
            Short.MIN_VALUE,
            Integer.MIN_VALUE,
            Long.MIN_VALUE,
            Float.NEGATIVE_INFINITY,
            -1.5,
            new BigDecimal("-99999999.99"),
            new BigDecimal("-9999999999999999999999999999.9999999999"),
            LocalDate.of(-1, 12, 31),
            LocalTime.MIDNIGHT,
            LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_000_000),
            Instant.EPOCH.minusNanos(1),
            "",
            new byte[3],
            new byte[0]),
        "least");
    rows.add(
        """
        {"value":"most","flag":true,"tiny":127,"small":32767,"number":2147483647,
         "big":9223372036854775807,"real":"NaN","double":1.5,"price":1.28,"huge":0.0000000001,
         "day":"9999-12-31","time":"23:59:59.999","millis":"2026-01-02T03:04:05.006",
         "nanos":"2026-01-02T03:04:05.000000006Z","name":"a\\u0000ü","bytes":"AP8B","rest":"AAE="}""",
        List.of(
            true,
            Byte.MAX_VALUE,
            Short.MAX_VALUE,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            Float.NaN,
            1.5,
            new BigDecimal("1.28"),
            new BigDecimal("0.0000000001"),
            LocalDate.of(9999, 12, 31),
            LocalTime.of(23, 59, 59, 999_000_000),
            LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6_000_000),
            Instant.parse("2026-01-02T03:04:05.000000006Z"),
            "a\u0000ü",
            new byte[] {0, -1, 1},
            new byte[] {0, 1}),
        "most");
    rows.add(
        """
        {"value":"middle","flag":true,"tiny":-1,"small":0,"number":0,"big":-1,"real":0.0,
         "double":"Infinity","price":0.00,"huge":-0.0000000001,"day":"1970-01-01","time":"00:00:00",
         "millis":"1970-01-01T00:00:00","nanos":"1970-01-01T00:00:00Z","name":"a","bytes":"",
         "rest":"/w=="}""",
        List.of(
            true,
            (byte) -1,
            (short) 0,
            0,
            -1L,
            -0f,
            Double.POSITIVE_INFINITY,
            new BigDecimal("0.00"),
            new BigDecimal("-0.0000000001"),
            LocalDate.EPOCH,
            LocalTime.MIDNIGHT,
            LocalDateTime.of(1970, 1, 1, 0, 0),
            Instant.EPOCH,
            "a",
            new byte[0],
            new byte[] {-1}),
        "middle");
    return rows;
  }

  private static Map<@Nullable Object, @Nullable Object> map(@Nullable Object... keysAndValues) {
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }
}
