package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowBuildTest extends BuildFixture {
  @Test
  void infersTheColumnsOfCsv() throws IOException {
    Path input =
        file(
            "in.csv",
            """
            id,name,code,share,active,note
            1,"Frankfurt, am ""Main\""",01,0.5,true,
            -2,,12,3,false,
            """);

    CommandRun build = build("csv", input, "--key", "id");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.err())
        .contains(
            "(`id` BIGINT NOT NULL, `name` STRING, `code` STRING, `share` DOUBLE, `active` BOOLEAN,"
                + " `note` STRING, PRIMARY KEY (`id`))");
    assertThat(get("1"))
        .isEqualTo(
            "1\t{\"id\": 1, \"name\": \"Frankfurt, am \\\"Main\\\"\", \"code\": \"01\","
                + " \"share\": 0.5, \"active\": true, \"note\": \"\"}\n");
    assertThat(get("-2")).contains("\"name\": \"\"").contains("\"share\": 3.0");
    assertThat(CommandRun.of("verify", "-t", table).status()).isZero();
  }

  @Test
  void keepsTheSpacesOfCsv() throws IOException {
    Path input = file("in.csv", "id,name\n  7a, x \n\t,y\n");

    CommandRun build = build("csv", input, "--key", "id");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("  7a", "\t"))
        .isEqualTo(
            """
              7a\t{"id": "  7a", "name": " x "}
            \t\t{"id": "\\t", "name": "y"}
            """);
  }

  @Test
  void passesOverEmptyLinesOfCsv() throws IOException {
    for (String lineEnd : List.of("\n", "\r\n")) {
      String rows = "\nid,name\n\n1,a\n\n\n2,\n,c\n\n\n";

      CommandRun build = build("csv", file("in.csv", rows.replace("\n", lineEnd)), "--key", "id");

      assertThat(build.err()).endsWith("in.csv:8: key column 'id' is null\n");
    }
    Path oneColumn = file("in.csv", "id\n\na\n\n \nb\n\n");
    CommandRun build = build("csv", oneColumn, "--key", "id");
    assertThat(build.out()).contains(" records=3 ");
    assertThat(get("a", " ", "b")).hasLineCount(3);
    Path quoted = file("in.csv", "id\na\n\"\"\n");
    assertThat(build("csv", quoted, "--key", "id").err()).contains("in.csv:3: key is 0 bytes long");
  }

  @Test
  void refusesColumnsWithoutAName() throws IOException {
    Path input = file("in.csv", "id,name,\n1,a,\n");

    CommandRun build = build("csv", input, "--key", "id");

    assertThat(build.status()).isEqualTo(ExitStatus.NO);
    assertThat(build.err())
        .isEqualTo(
            "bsdb: a column has no name: [id, name, ] in [%s]; say the columns to take with --schema\n"
                .formatted(input));
    String schema = "id BIGINT, name STRING";
    assertThat(build("csv", input, "--key", "id", "--schema", schema).status()).isZero();
  }

  @Test
  void keepsTheColumnsOfTheSchemaThatIsGiven() throws IOException {
    Path input = file("in.csv", "a;b;c;d\nx;2024-01-31;12.50;\n");

    CommandRun build =
        build(
            "csv",
            input,
            CommandRun.words(
                "--separator ; --key c,a --schema %s", "d INT, c DECIMAL(6, 2), b DATE, a STRING"));

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("12.5,x"))
        .isEqualTo("12.5,x\t{\"d\": null, \"c\": 12.50, \"b\": \"2024-01-31\", \"a\": \"x\"}\n");
  }

  @Test
  void namesTheLineThatIsNoRow() throws IOException {
    String header = "id,name\n1,a\n";
    assertThat(build("csv", file("in.csv", header + "2\n"), "--key", "id").err())
        .endsWith("in.csv:3: 1 fields, the header has 2\n");
    assertThat(build("csv", file("in.csv", header + ",b\n"), "--key", "id").err())
        .endsWith("in.csv:3: key column 'id' is null\n");
    CommandRun wrongType =
        build("csv", file("in.csv", header + "x,b\n"), "--key", "id", "--schema", "id INT");
    assertThat(wrongType.status()).isEqualTo(ExitStatus.NO);
    assertThat(wrongType.err()).endsWith("in.csv:3: 'x' is not a value of `id` INT NOT NULL\n");
    assertThat(
            build("csv", file("in.csv", header), "--key", "id", "--schema", "id INT, x INT").err())
        .endsWith("in.csv: no column 'x'; the header has [id, name]\n");
  }

  @Test
  void namesTheLineWhereCsvIsMalformed() throws IOException {
    String header = "id,name\n1,a\n\n";
    for (String rows :
        List.of("\"4,b\n5,c\n", "4,\"b\n5,c\n", "4,\"b\"c\n5,d\n", "4,\"b\nb\"c\n5,d\n")) {
      Path input = file("in.csv", header + rows);
      CommandRun build = build("csv", input, "--key", "id", "--on-bad-line", "skip");
      assertThat(build.status()).isEqualTo(ExitStatus.NO);
      assertThat(build.err()).contains("in.csv:4: not CSV from here on: ");
    }
    Path latin1 = directory.resolve("in.csv");
    Files.writeString(latin1, header + "4,\u00fc\n", StandardCharsets.ISO_8859_1);
    assertThat(build("csv", latin1, "--key", "id").err())
        .contains("in.csv:4: malformed UTF-8 in column 3: bytes fc");
  }

  @Test
  void skipsRowsThatDoNotFit() throws IOException {
    Path input = file("in.csv", "id,name\n1,a\n2\n3,c\n");

    CommandRun build = build("csv", input, "--key", "id", "--on-bad-line", "skip");

    assertThat(build.status()).isZero();
    assertThat(build.out()).contains(" records=2 ").contains(" skipped=1");
  }

  @Test
  void infersNoDoubleWhereDigitsWouldBeLost() throws IOException {
    Path csv =
        file(
            "in.csv",
            """
            id,money,mixed,whole,round,small
            1,12345678901234567.89,9007199254740993,9007199254740993,9007199254740992,0.1
            2,0.5,1.5,1,1.5,0.30000000000000004
            """);
    String inferred =
        "(`id` BIGINT NOT NULL, `money` STRING, `mixed` STRING, `whole` BIGINT, `round` DOUBLE,"
            + " `small` DOUBLE, PRIMARY KEY (`id`))";
    assertThat(build("csv", csv, "--key", "id").err()).contains(inferred);
    assertThat(get("1"))
        .contains("\"money\": \"12345678901234567.89\", \"mixed\": \"9007199254740993\"");

    Path json =
        file(
            "in.jsonl",
            """
            {"id": 1, "money": 12345678901234567.89, "mixed": 9007199254740993,\
             "whole": 9223372036854775807, "round": 9007199254740992, "small": 0.1}
            {"id": 2, "money": 0.50, "mixed": 1.5, "whole": 1, "round": 1.50, "small": 1e3}
            """);
    assertThat(build("jsonl", json, "--key", "id").err()).contains(inferred);
    assertThat(get("1", "2"))
        .contains("\"money\": \"12345678901234567.89\", \"mixed\": \"9007199254740993\"")
        .contains("\"money\": \"0.50\"");
  }

  @Test
  void refusesDigitsThatTheInferredDoubleWouldLose() throws IOException {
    StringBuilder text = new StringBuilder("id,share,count\n");
    for (int i = 0; i < 10_000; i++) {
      text.append(i).append(",0.5,7\n");
    }
    String sample = text.toString();

    assertThat(
            build("csv", file("in.csv", sample + "-1,2,9007199254740993\n"), "--key", "id")
                .status())
        .isZero();
    for (String number : List.of("12345678901234567.89", "9007199254740993")) {
      Path input = file("in.csv", sample + "-1," + number + ",7\n");
      CommandRun build = build("csv", input, "--key", "id");
      assertThat(build.status()).isEqualTo(ExitStatus.NO);
      assertThat(build.err())
          .contains("in.csv:10002: '" + number + "' does not fit the inferred `share` DOUBLE;");
    }
  }

  @Test
  void refusesWhatTheSampleDidNotShow() throws IOException {
    StringBuilder text = new StringBuilder("id,code\n");
    for (int i = 0; i < 10_000; i++) {
      text.append(i).append(",7\n");
    }
    Path input = file("in.csv", text.append("10000,007\n").toString());

    CommandRun build = build("csv", input, "--key", "id");

    assertThat(build.status()).isEqualTo(ExitStatus.NO);
    assertThat(build.err())
        .contains("in.csv:10002: '007' does not fit the inferred `code` BIGINT; say the types");
  }

  @Test
  void namesTheDuplicateKeyOfARow() throws IOException {
    Path input = file("in.csv", "country,id\nDE,1\nFR,1\nDE,1\n");

    CommandRun build = build("csv", input, "--key", "country,id");

    assertThat(build.status()).isEqualTo(ExitStatus.NO);
    assertThat(build.err())
        .contains(
            "duplicate key '{\"country\": \"DE\", \"id\": 1}': "
                + input
                + ":2 and "
                + input
                + ":4");
  }

  @Test
  void namesTheDuplicateKeyOfEveryType() throws IOException {
    String row = "2024-01-31,10:15:30,2024-01-31T10:15:30.5,2024-01-31T10:15:30Z,AP8=\n";
    Path input = file("in.csv", "d,t,ts,tz,b\n" + row + row);

    CommandRun build =
        build(
            "csv",
            input,
            CommandRun.words(
                "--key d,t,ts,tz,b --schema %s",
                "d DATE, t TIME, ts TIMESTAMP(6), tz TIMESTAMP_LTZ(3), b BYTES"));

    assertThat(build.err())
        .contains(
            "duplicate key '{\"d\": \"2024-01-31\", \"t\": \"10:15:30\", \"ts\": \"2024-01-31T10:15:30.500\","
                + " \"tz\": \"2024-01-31T10:15:30Z\", \"b\": \"AP8=\"}': ");
  }

  @Test
  void readsNestedValuesOfCsvAsScanWritesThem() throws IOException {
    String rows = "id,tags,at\n1,\"[\"\"a\"\",null]\",\"{\"\"x\"\": 1}\"\n2,,[]\n";
    Object[] options =
        CommandRun.words("--key id --schema %s", "id INT, tags ARRAY<STRING>, at ROW<x INT>");
    CommandRun refused = build("csv", file("in.csv", rows), options);
    assertThat(refused.err()).endsWith("in.csv:3: '[]' is not an object for `at` ROW<`x` INT>\n");
    refused = build("csv", file("in.csv", rows.replace("[]", "x")), options);
    assertThat(refused.err())
        .contains("in.csv:3: 'x' is not a value of `at` ROW<`x` INT>: it is not JSON: ");

    CommandRun build = build("csv", file("in.csv", rows.replace("[]", "")), options);

    assertThat(build.status()).as(build.err()).isZero();
    String scanned = CommandRun.of("scan", "-t", table, "--format", "csv").out();
    assertThat(build("csv", file("again.csv", scanned), options).status()).isZero();
    assertThat(get("1", "2"))
        .isEqualTo(
            """
            1\t{"id": 1, "tags": ["a", null], "at": {"x": 1}}
            2\t{"id": 2, "tags": null, "at": null}
            """);
  }

  @Test
  void needsASchemaForStandardInput() {
    byte[] input = "{\"id\": 1, \"n\": 2}\n".getBytes(StandardCharsets.UTF_8);
    Object[] arguments = {"build", "-t", table, "-i", "-", "--format", "jsonl", "--key", "id"};

    CommandRun without = CommandRun.withInput(input, arguments);
    List<Object> with = new ArrayList<>(List.of(arguments));
    with.addAll(List.of("--schema", "id INT, n INT"));

    assertThat(without.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(without.err()).contains("needs --schema");
    assertThat(CommandRun.withInput(input, with.toArray()).status()).isZero();
    assertThat(get("1")).isEqualTo("1\t{\"id\": 1, \"n\": 2}\n");
  }

  @Test
  void refusesOptionsThatDoNotFitTheFormat() throws IOException {
    Path input = file("in.csv", "id,name\n1,a\n");
    assertThat(build("csv", input).err()).contains("need --key");
    assertThat(build("csv", input, "--key", "id", "--schema", "id INT, name TEXT").err())
        .endsWith("name TEXT': type text, position 13: unknown type TEXT, found \"TEXT\"\n");
    assertThat(build("csv", input, "--key", "id", "--schema", "id INT) name").err())
        .endsWith("position 6: expected a comma or the end, found \") name\"\n");
    assertThat(build("csv", input, "--key", "nothing").err())
        .contains("primary key column 'nothing' is not a column");
    assertThat(build("csv", input, "--key", "id", "--schema", "id INTEGRAL").status())
        .isEqualTo(ExitStatus.USAGE);
    assertThat(build("text", input, "--key", "id").status()).isEqualTo(ExitStatus.USAGE);
    assertThat(build("jsonl", input, "--key", "id", "--separator", ",").status())
        .isEqualTo(ExitStatus.USAGE);
    assertThat(build("csv", input, "--key", "id", "--encoding", "hex").status())
        .isEqualTo(ExitStatus.USAGE);
  }

  @Test
  void readsCsvWithoutAHeader() throws IOException {
    CommandRun numbered =
        build("csv", file("in.csv", "1,rose\n2,violet\n"), "--key", "c1", "--no-header");
    assertThat(numbered.err()).contains("(`c1` BIGINT NOT NULL, `c2` STRING,");
    assertThat(CommandRun.of("get", "-t", table, "--", "1").out())
        .isEqualTo("1\t{\"c1\": 1, \"c2\": \"rose\"}\n");

    Object[] named = {"--key", "id", "--no-header", "--schema", "id INT, name STRING"};
    assertThat(build("csv", file("in.csv", "1,rose\n2,violet\n"), named).status()).isZero();
    assertThat(CommandRun.of("get", "-t", table, "--", "1").out())
        .isEqualTo("1\t{\"id\": 1, \"name\": \"rose\"}\n");
    assertThat(build("csv", file("in.csv", "1,rose\n2\n"), named).err())
        .contains("in.csv:2: 1 fields for the columns [id, name]");
    Path changes = Files.writeString(directory.resolve("changes"), "2,,delete\n3,lily,put\n");
    CommandRun apply =
        CommandRun.of("apply", "-t", table, "-i", changes, "--format", "csv", "--no-header");
    assertThat(apply.status()).as(apply.err()).isZero();
    assertThat(CommandRun.of("get", "-t", table, "--", "2", "3").out()).contains("lily");
    assertThat(build("jsonl", file("in.jsonl", "{\"id\": 1}"), "--key", "id", "--no-header").err())
        .contains("--no-header is for --format csv");
  }

  @Test
  void infersDatesInCsv() throws IOException {
    String csv = "id,day,code,mixed\n1,2026-02-28,2026-02-30,2026-01-01\n2,,2026-01-01,7\n";
    assertThat(build("csv", file("in.csv", csv), "--key", "id").err())
        .contains("`day` DATE, `code` STRING, `mixed` STRING,");
    assertThat(CommandRun.of("scan", "-t", table, "--format", "csv").out())
        .contains("1,2026-02-28,2026-02-30,2026-01-01\n")
        .contains("2,,2026-01-01,7\n");
    assertThat(
            build("jsonl", file("in.jsonl", "{\"id\": 1, \"day\": \"2026-02-28\"}"), "--key", "id")
                .err())
        .contains("`day` STRING");
  }
}
