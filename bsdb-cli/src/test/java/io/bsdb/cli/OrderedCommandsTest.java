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
        .isEqualTo("4144\tZurich\n41\tSwitzerland\n");
    assertThat(get("--floor", "42").out()).isEqualTo("4144\tZurich\n");
    assertThat(get("--ceiling", "42").out()).isEqualTo("49\tGermany\n");
    CommandRun none = get("--floor", "0", "9");
    assertThat(none.status()).isEqualTo(ExitStatus.NO);
    assertThat(none.out()).isEqualTo("49\tGermany\n");
    assertThat(none.err()).isEqualTo("absent: 0\n");
    assertThat(CommandRun.of("get", "-t", table, "--", "49").out()).isEqualTo("49\tGermany\n");
    assertThat(CommandRun.of("get", "-t", table, "--floor", "--ceiling", "--", "4").status())
        .isEqualTo(ExitStatus.USAGE);
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
        "--format",
        "jsonl",
        "--key",
        "first",
        "--schema",
        "first BINARY(16), last BINARY(16), net STRING");

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
        "--format",
        "csv",
        "--key",
        "first");

    assertThat(get("--floor", "192.0.2.17", "3221226000").out())
        .isEqualTo(
            "{\"first\": 3221225984}\t{\"first\": 3221225984, \"last\": 3221226239, \"net\": \"TEST-NET-1\"}\n"
                .repeat(2));
  }

  @Test
  void takesLeadingColumns() throws IOException {
    build(
        "item,valid,price\na,2026-01-01,1\na,2026-02-01,2\nb,2026-01-15,3\n",
        "--format",
        "csv",
        "--key",
        "item,valid",
        "--schema",
        "item STRING, valid DATE, price INT");

    assertThat(get("--floor", "a,2026-01-31").out()).contains("\"price\": 1");
    assertThat(scan("--prefix", "a").lines()).hasSize(2);
    assertThat(scan("--prefix", "[\"b\"]").lines()).hasSize(1);
    assertThat(scan("--from", "a,2026-01-02", "--to", "b").lines()).hasSize(1);
    CommandRun wrong = CommandRun.of("scan", "-t", table, "--prefix", "a,2026-01-01,5");
    assertThat(wrong.status()).isEqualTo(ExitStatus.USAGE);
  }

  @Test
  void refusesWhatHashOrderCannotAnswer() throws IOException {
    Files.writeString(input, "k v\n");
    CommandRun.of("build", "--table", table, "--input", input);

    CommandRun floor = get("--floor", "k");
    assertThat(floor.status()).isEqualTo(ExitStatus.NO);
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
    assertThat(get("--longest-prefix", "41446681234").out()).isEqualTo("41\tSwitzerland\n");
    assertThat(CommandRun.of("verify", "--table", table).status()).isEqualTo(ExitStatus.OK);
    assertThat(CommandRun.of("compact", "--table", table).status()).isEqualTo(ExitStatus.OK);
    assertThat(get("--floor", "48").out()).isEqualTo("43\tAustria\n");
    assertThat(scan()).isEqualTo("1\tAmerica\n41\tSwitzerland\n43\tAustria\n49\tGermany\n");
  }
}
