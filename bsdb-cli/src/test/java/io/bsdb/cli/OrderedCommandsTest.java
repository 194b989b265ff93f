package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables in key order on the command line. */
class OrderedCommandsTest {
  @TempDir private Path directory;

  private Path table = Path.of("");
  private Path input = Path.of("");

  @BeforeEach
  void name() {
    table = directory.resolve("table");
    input = directory.resolve("input");
  }

  private CommandRun build(String content, Object... options) throws IOException {
    Files.writeString(input, content);
    Object[] arguments = new Object[options.length + 7];
    Object[] first = {"build", "--table", table, "--input", input, "--order", "key"};
    System.arraycopy(first, 0, arguments, 0, first.length);
    System.arraycopy(options, 0, arguments, first.length, options.length);
    CommandRun run = CommandRun.of(arguments);
    assertThat(run.err()).contains("is in service");
    return run;
  }

  private CommandRun get(String how, String... keys) {
    Object[] arguments = new Object[keys.length + 5];
    Object[] first = {"get", "--table", table, how, "--"};
    System.arraycopy(first, 0, arguments, 0, first.length);
    System.arraycopy(keys, 0, arguments, first.length, keys.length);
    return CommandRun.of(arguments);
  }

  private String scan(Object... options) {
    Object[] arguments = new Object[options.length + 3];
    Object[] first = {"scan", "--table", table};
    System.arraycopy(first, 0, arguments, 0, first.length);
    System.arraycopy(options, 0, arguments, first.length, options.length);
    CommandRun run = CommandRun.of(arguments);
    assertThat(run.err()).isEmpty();
    return run.out();
  }

  @Test
  void findsTheNearestKey() throws IOException {
    build("41 Switzerland\n4144 Zurich\n49 Germany\n1 America\n", "--verify");

    assertThat(get("--longest-prefix", "41446681234", "41791234567").out())
        .isEqualTo("41446681234\t4144\tZurich\n41791234567\t41\tSwitzerland\n");
    assertThat(get("--floor", "42").out()).isEqualTo("42\t4144\tZurich\n");
    assertThat(get("--ceiling", "42").out()).isEqualTo("42\t49\tGermany\n");
    CommandRun none = get("--floor", "0", "9");
    assertThat(none.status()).isEqualTo(ExitStatus.NO);
    assertThat(none.out()).isEqualTo("0\t\t\n9\t49\tGermany\n");
    assertThat(none.err()).isEqualTo("absent: 0\n");
    assertThat(CommandRun.of("get", "-t", table, "--", "49").out()).isEqualTo("49\tGermany\n");
    assertThat(CommandRun.of("get", "-t", table, "--floor", "--ceiling", "--", "4").status())
        .isEqualTo(ExitStatus.USAGE);
  }

  @Test
  void printsALineForEachKeyOfAFile() throws IOException {
    build("41 Switzerland\n49 Germany\n");
    Path keys = Files.writeString(directory.resolve("keys"), "42\n0\n50\n");

    CommandRun run = CommandRun.of("get", "-t", table, "--floor", "--keys", keys);

    assertThat(run.out()).isEqualTo("42\t41\tSwitzerland\n0\t\t\n50\t49\tGermany\n");
    assertThat(run.err()).isEqualTo("absent: 0\n");
    assertThat(run.status()).isEqualTo(ExitStatus.NO);
    assertThat(CommandRun.of("get", "-t", table, "--ceiling", "--keys", keys).out())
        .isEqualTo("42\t49\tGermany\n0\t41\tSwitzerland\n50\t\t\n");
  }

  @Test
  void printsRanges() throws IOException {
    build("b 2\nab 1\nc 3\na 0\nd 4\n", "--no-point-index");

    assertThat(scan()).isEqualTo("a\t0\nab\t1\nb\t2\nc\t3\nd\t4\n");
    assertThat(scan("--prefix", "a")).isEqualTo("a\t0\nab\t1\n");
    assertThat(scan("--from", "ab", "--to", "d")).isEqualTo("ab\t1\nb\t2\nc\t3\n");
    assertThat(scan("--reverse", "--limit", "2")).isEqualTo("d\t4\nc\t3\n");
    assertThat(scan("--to", "b", "--reverse")).isEqualTo("ab\t1\na\t0\n");
    assertThat(scan("--prefix", "x")).isEmpty();
    CommandRun both = CommandRun.of("scan", "-t", table, "--prefix", "a", "--to", "b");
    assertThat(both.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(both.err()).contains("--prefix is a range of its own");
    assertThat(CommandRun.of("inspect", "-t", table).out()).contains("order     by key\n");
    assertThat(CommandRun.of("inspect", "-t", table, "--json").out()).contains("\"key\"");
  }

  @Test
  void findsTheBlockOfAnAddress() throws IOException {
    String blocks =
        """
        {"first": "192.0.2.0", "last": "192.0.2.255", "net": "TEST-NET-1"}
        {"first": "2001:db8::", "last": "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "net": "doc"}
        {"first": "9.0.0.0", "last": "9.255.255.255", "net": "nine"}
        """;
    build(
        blocks,
        CommandRun.words(
            "--format jsonl --key first --schema %s",
            "first BINARY(16), last BINARY(16), net STRING"));

    assertThat(get("--floor", "192.0.2.17", "2001:db8::1", "9.1.2.3").out())
        .containsSubsequence("TEST-NET-1", "\"doc\"", "nine");
    assertThat(get("--floor", "1.2.3.4").status()).isEqualTo(ExitStatus.NO);
    CommandRun wrong = get("--floor", "192.0.2.256");
    assertThat(wrong.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(wrong.err()).contains("'192.0.2.256' is not a value of `first` BINARY(16)");
  }

  @Test
  void findsTheBlockOfAnAddressThatIsANumber() throws IOException {
    build(
        "first,last,net\n3221225984,3221226239,TEST-NET-1\n150994944,167772159,nine\n",
        CommandRun.words("--format csv --key first"));

    String row =
        "{\"first\": 3221225984}\t{\"first\": 3221225984, \"last\": 3221226239, \"net\": \"TEST-NET-1\"}\n";
    assertThat(get("--floor", "192.0.2.17", "1.2.3.4", "3221226000").out())
        .isEqualTo("192.0.2.17\t" + row + "1.2.3.4\tnull\tnull\n" + "3221226000\t" + row);
  }

  @Test
  void showsAddressesThatAreDeclared() throws IOException {
    build(
        "first,last,net\n192.0.2.0,192.0.2.255,TEST-NET-1\n2001:db8::,2001:db8:ffff::,doc\n",
        CommandRun.words(
            "--format csv --key first --schema %s --verify-input",
            "first IP, last IP, net STRING"));

    String doc = "{\"first\": \"2001:db8::\", \"last\": \"2001:db8:ffff::\", \"net\": \"doc\"}\n";
    assertThat(scan("--from", "2000::")).isEqualTo(doc);
    assertThat(scan("--format", "csv", "--limit", 1))
        .isEqualTo("first,last,net\n192.0.2.0,192.0.2.255,TEST-NET-1\n");
    assertThat(get("--floor", "2001:db8::7").out()).endsWith("\t" + doc);
    CommandRun.of(
        "put", "-t", table, "--", "192.0.2.0", "{\"last\": \"192.0.2.127\", \"net\": \"half\"}");
    assertThat(scan("--limit", "1", "--json")).contains("\"last\": \"192.0.2.127\"");
    assertThat(CommandRun.of("inspect", "-t", table).out()).contains("`first` IP NOT NULL");
    Path parquet = directory.resolve("blocks.parquet");
    CommandRun.of("scan", "-t", table, "--format", "parquet", "-o", parquet);
    Path again = directory.resolve("again");
    CommandRun fromParquet =
        CommandRun.line(
            "build -t %s -i %s --format parquet --key first --ip first,last --order key --verify-input",
            again, parquet);
    assertThat(fromParquet.status()).as(fromParquet.err()).isZero();
    assertThat(CommandRun.of("scan", "-t", again).out()).isEqualTo(scan());
  }

  @Test
  void takesAddressesOfInferredColumnsAndQueries() throws IOException {
    build(
        "first,net\n3221225984,TEST-NET-1\n150994944,nine\n",
        CommandRun.words("--format csv --key first --ip first"));
    assertThat(scan()).startsWith("{\"first\": \"9.0.0.0\", \"net\": \"nine\"}\n");

    Path queried = directory.resolve("queried");
    CommandRun query =
        CommandRun.of(
            "build",
            "-t",
            queried,
            "--order",
            "key",
            "--key",
            "a",
            "--ip",
            "a,b,c",
            "--query",
            "SELECT '::1' AS a, 150994944::BIGINT AS b,"
                + " '\\x20\\x01\\x0D\\xB8\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\x01'::BLOB AS c"
                    .replace("\\0", "\\x00"));
    assertThat(query.err()).contains("`a` IP NOT NULL, `b` IPV4, `c` IP");
    assertThat(CommandRun.of("scan", "-t", queried).out())
        .isEqualTo("{\"a\": \"::1\", \"b\": \"9.0.0.0\", \"c\": \"2001:db8::1\"}\n");
  }

  @Test
  void refusesColumnsWithoutAddresses() throws IOException {
    String sql = "SELECT %s AS a";
    for (String[] wrong :
        new String[][] {
          {"'facebook'", "a", "query:1: 'facebook' is not a value of `a` IP NOT NULL"},
          {"'x'::BLOB", "a", "query:1: column 'a': 1 bytes are no IP address; it has 16"},
          {"1.5", "a", "column 'a': DECIMAL(2, 1) has no IP addresses"},
          {"1", "b", "no column 'b'"}
        }) {
      assertThat(
              CommandRun.line(
                      "build -t %s --key a --ip %s --query %s",
                      table, wrong[1], sql.formatted(wrong[0]))
                  .err())
          .contains(wrong[2]);
    }
    Files.writeString(input, "a,b\n1.5,x\n");
    Object[] csv = {
      "build", "-t", table, "-i", input, "--format", "csv", "--key", "b", "--ip", "a"
    };
    assertThat(CommandRun.of(csv).err()).contains("--ip: column 'a': DOUBLE has no IP addresses");
    csv[10] = "c";
    assertThat(CommandRun.of(csv).err())
        .contains("--ip: no column 'c'; the columns are [`a` DOUBLE");
    assertThat(CommandRun.of("build", "-t", table, "-i", input, "--ip", "a").err())
        .contains("--ip are for rows");
  }

  @Test
  void buildsInKeyOrderWhateverTheRowsComeFrom() {
    Path first = directory.resolve("first");
    CommandRun query =
        CommandRun.line(
            "build -t %s --order key --key n --verify-input --query %s",
            first, "SELECT CAST(x AS BIGINT) AS n FROM (VALUES (3), (-1), (2)) t(x)");
    assertThat(query.status()).as(query.err()).isZero();
    Path file = directory.resolve("rows.parquet");
    CommandRun.of("scan", "-t", first, "--format", "parquet", "-o", file);
    CommandRun parquet =
        CommandRun.line("build -t %s --order key --key n --format parquet -i %s", table, file);
    assertThat(parquet.status()).as(parquet.err()).isZero();
    for (Path each : new Path[] {first, table}) {
      assertThat(CommandRun.of("scan", "-t", each, "--from", "0").out())
          .isEqualTo("{\"n\": 2}\n{\"n\": 3}\n");
    }
  }

  @Test
  void takesLeadingColumns() throws IOException {
    build(
        "item,valid,price\na,2026-01-01,1\na,2026-02-01,2\nb,2026-01-15,3\n",
        CommandRun.words(
            "--format csv --key item,valid --schema %s", "item STRING, valid DATE, price INT"));

    assertThat(get("--floor", "a,2026-01-31").out()).contains("\"price\": 1");
    assertThat(get("--floor", "b,2026-01-01").status()).isEqualTo(ExitStatus.NO);
    assertThat(get("--ceiling", "a,2026-02-02").status()).isEqualTo(ExitStatus.NO);
    assertThat(scan("--prefix", "a").lines()).hasSize(2);
    assertThat(scan("--prefix", "[\"b\"]").lines()).hasSize(1);
    assertThat(scan("--from", "a,2026-01-02", "--to", "b").lines()).hasSize(1);
    CommandRun wrong = CommandRun.of("scan", "-t", table, "--prefix", "a,2026-01-01,5");
    assertThat(wrong.status()).isEqualTo(ExitStatus.USAGE);
    CommandRun noTime = CommandRun.of("get", "-t", table, "--as-of", "2026-05-17T09:30", "--", "a");
    assertThat(noTime.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(noTime.err())
        .contains(
            "--as-of needs a key that ends in a TIMESTAMP or TIMESTAMP_LTZ, actual `valid` DATE NOT NULL");
  }

  @Test
  void refusesWhatHashOrderCannotAnswer() throws IOException {
    Files.writeString(input, "k v\n");
    CommandRun.of("build", "--table", table, "--input", input);

    CommandRun floor = get("--floor", "k");
    assertThat(floor.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(floor.err()).contains("build it with --order key");
    assertThat(CommandRun.of("scan", "-t", table, "--reverse").err())
        .contains("build it with --order key");
    CommandRun approximate =
        CommandRun.of("build", "-t", table, "-i", input, "--order", "key", "--approximate");
    assertThat(approximate.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(approximate.err()).contains("stores no keys");
  }

  @Test
  void changesRows() throws IOException {
    build("1 America\n41 Switzerland\n4144 Zurich\n49 Germany\n");

    assertThat(CommandRun.of("put", "--table", table, "--", "43", "Austria").status())
        .isEqualTo(ExitStatus.OK);
    assertThat(CommandRun.of("delete", "--table", table, "--", "4144").status())
        .isEqualTo(ExitStatus.OK);
    assertThat(scan("--from", "41", "--reverse"))
        .isEqualTo("49\tGermany\n43\tAustria\n41\tSwitzerland\n");
    assertThat(get("--longest-prefix", "41446681234").out())
        .isEqualTo("41446681234\t41\tSwitzerland\n");
    assertThat(CommandRun.of("verify", "--table", table).status()).isEqualTo(ExitStatus.OK);
    assertThat(CommandRun.of("compact", "--table", table).status()).isEqualTo(ExitStatus.OK);
    assertThat(get("--floor", "48").out()).isEqualTo("48\t43\tAustria\n");
    assertThat(scan()).isEqualTo("1\tAmerica\n41\tSwitzerland\n43\tAustria\n49\tGermany\n");
  }
}
