package io.bsdb.cli;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InputOptionsTest {
  @TempDir private Path directory;
  private Path table;
  private Path input;

  @BeforeEach
  void setUp() {
    table = directory.resolve("t");
    input = directory.resolve("input");
  }

  @Test
  void namesWhatIsNoInput() throws IOException {
    CommandRun empty = CommandRun.of("build", "-t", table, "-i", "");
    assertThat(empty.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(empty.err())
        .isEqualTo("bsdb: --input is empty; give '.' for the current directory\n");
    CommandRun pattern = CommandRun.of("build", "-t", table, "-i", directory + "/[");
    assertThat(pattern.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(pattern.err())
        .startsWith("bsdb: no such input, and no pattern: '" + directory + "/[': ");
    Files.writeString(input, "{\"id\": NaN}\n");
    assertThat(CommandRun.line("build -t %s -i %s --format jsonl --key id", table, input).err())
        .endsWith("input:1: not JSON: Non-standard token 'NaN'\n");
    assertThat(CommandRun.line("build -t %s -i %s --property a", table, input).err())
        .startsWith("bsdb: Value for option '--property' (NAME=VALUE) should be in ");
    assertThat(CommandRun.line("build -t %s -i %s --temp=", table, input).err())
        .isEqualTo("bsdb: --temp is empty; give '.' for the current directory\n");
    assertThat(table).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"windows-1252", "UTF-16", "UTF-16LE", "GB18030", "ISO-8859-15"})
  void readsTextOfACharset(String name) throws IOException {
    String records =
        IntStream.range(0, 20_000).mapToObj(i -> "Zür " + i + "\n").collect(Collectors.joining());
    Files.write(input, records.getBytes(Charset.forName(name)));

    CommandRun build =
        CommandRun.line(
            "build -t %s -i %s --charset %s --separator %s --verify-input",
            table, input, name, "r ");

    assertThat(build.status()).as(build.err()).isEqualTo(ExitStatus.NO);
    assertThat(build.err()).contains("duplicate key 'Zü'").contains("input:1 and ");
    CommandRun rows =
        CommandRun.line(
            "build -t %s -i %s --charset %s --format csv --separator %s --schema %s --key 0",
            table, input, name, " ", "`Zür` STRING, `0` INT");
    assertThat(rows.status()).as(rows.err()).isZero();
    assertThat(CommandRun.of("get", "-t", table, "--", "19999").out())
        .isEqualTo("19999\t{\"Zür\": \"Zür\", \"0\": 19999}\n");
  }

  @Test
  void namesTheLineOfWhatIsMalformedInACharset() throws IOException {
    Files.write(input, new byte[] {'a', ' ', 'b', '\n', 'c', ' ', (byte) 0x81, '\n'});

    CommandRun build = CommandRun.of("build", "-t", table, "-i", input, "--charset", "cp1252");

    assertThat(build.status()).isEqualTo(ExitStatus.NO);
    assertThat(build.err())
        .isEqualTo(
            "bsdb: " + input + ":2: malformed windows-1252: 1 bytes that are no character\n");
    CommandRun utf8 = CommandRun.of("build", "-t", table, "-i", input, "--charset", "utf-8");
    assertThat(utf8.status()).isEqualTo(ExitStatus.NO);
    assertThat(utf8.err()).contains(input + ":2: malformed UTF-8: 1 bytes that are no character");
    for (String name : new String[] {"utf-9", "utf 8", ""}) {
      CommandRun none = CommandRun.of("build", "-t", table, "-i", input, "--charset", name);
      assertThat(none.status()).isEqualTo(ExitStatus.USAGE);
      assertThat(none.err())
          .startsWith(
              "bsdb: Invalid value for option '--charset': this Java has no charset '"
                  + name
                  + "', expected like windows-1252\n");
    }
  }

  @Test
  void takesThreadsAndDictionaries() throws IOException {
    Files.writeString(input, "a 1\nb 2\n");

    CommandRun build =
        CommandRun.line(
            "build -t %s -i %s --threads 1 --layout compressed --dictionary-size 4K", table, input);

    assertThat(build.status()).as(build.err()).isZero();
    CommandRun threads = CommandRun.of("build", "-t", table, "-i", input, "--threads", "-1");
    assertThat(threads.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(threads.err())
        .isEqualTo("bsdb: --threads: threads out of range: expected 0 to 1024, actual -1\n");
    CommandRun dictionary =
        CommandRun.of("build", "-t", table, "-i", input, "--dictionary-size", "3G");
    assertThat(dictionary.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(dictionary.err())
        .isEqualTo(
            "bsdb: --dictionary-size: dictionary bytes out of range: expected 0 to 1048576, actual 3221225472\n");
  }

  @Test
  void namesOfColumnsMayHaveQuotes() throws IOException {
    Files.writeString(input, "\"\"\"a\",\"b\"\"\",c\n1,2,3\n");

    CommandRun build =
        CommandRun.of("build", "-t", table, "-i", input, "--format", "csv", "--key", "\"a,b\"");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.err()).contains("PRIMARY KEY (`\"a`, `b\"`)");
  }

  @Test
  void comparesTheInputWithWhatWasBuilt() throws IOException {
    Files.writeString(input, "a 1\nb 2\na 3\n");

    for (String policy : new String[] {"first", "last"}) {
      CommandRun build =
          CommandRun.of(
              "build", "-t", table, "-i", input, "--duplicates", policy, "--verify-input");
      assertThat(build.status()).as(build.err()).isZero();
    }
    CommandRun pipe =
        CommandRun.withInput(bytes("a 1\n"), "build", "-t", table, "-i", "-", "--verify-input");
    assertThat(pipe.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(pipe.err()).contains("--verify-input needs inputs that can be read twice");
  }

  @Test
  void saysWhatDiffersFromTheInput() {
    CommandRun build =
        CommandRun.line(
            "build -t %s --key k --verify-input --query %s",
            table, "SELECT i AS k, uuid() AS v FROM range(10) t(i)");

    assertThat(build.status()).isEqualTo(ExitStatus.NO);
    assertThat(build.err())
        .containsPattern(
            "bsdb: 0000000001-\\w{8} was put in service, but differs from the input: line 1,"
                + " key '\\{\"k\": 0}': the values differ from byte \\d+ on: table=\\d+ bytes"
                + " input=\\d+ bytes \\(did the input change\\?\\); there is no version before it");
  }

  @Test
  void looksUpKeysOfStandardInputAndOfFiles() throws IOException {
    Files.writeString(input, "a 1\nb 2\n\u00fc 3\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();

    CommandRun get = CommandRun.withInput(bytes("b\nx\nü"), "get", "-t", table, "--keys", "-");

    assertThat(get.status()).isEqualTo(ExitStatus.NO);
    assertThat(get.out()).isEqualTo("b\t2\nü\t3\n");
    assertThat(get.err()).isEqualTo("absent: x\n");
    Path keys = Files.writeString(directory.resolve("keys"), "a\r\nb\r\n");
    assertThat(CommandRun.of("get", "-t", table, "--keys", keys).out()).isEqualTo("a\t1\nb\t2\n");
    assertThat(CommandRun.of("get", "-t", table, "--keys", keys, "--", "a").status())
        .isEqualTo(ExitStatus.USAGE);
    assertThat(CommandRun.of("get", "-t", table, "--keys", directory.resolve("no")).status())
        .isEqualTo(ExitStatus.UNREADABLE);
    CommandRun hex =
        CommandRun.withInput(
            bytes("61\nzz\n"), "get", "-t", table, "--keys", "-", "--encoding", "hex");
    assertThat(hex.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(hex.out()).isEqualTo("61\t31\n");
    assertThat(hex.err()).contains("line 2: key 'zz' is not hex");
  }

  @Test
  void scansIntoCsvThatBuildsTheSameTable() throws IOException {
    Files.writeString(
        input,
        """
        id,name,price,note
        1,"a ""quoted"", text",1.50,
        2," spaces ",,"two
        lines"
        """);
    String[] rows = {
      "--format",
      "csv",
      "--key",
      "id",
      "--schema",
      "id BIGINT, name STRING, price DECIMAL(9, 2), note STRING"
    };
    assertThat(
            CommandRun.of(
                    "build", "-t", table, "-i", input, rows[0], rows[1], rows[2], rows[3], rows[4],
                    rows[5])
                .status())
        .isZero();

    CommandRun scan = CommandRun.of("scan", "-t", table, "--format", "csv");

    assertThat(scan.out())
        .startsWith("id,name,price,note\n")
        .contains("1,\"a \"\"quoted\"\", text\",1.50,\"\"\n");
    Path again = directory.resolve("again");
    Files.write(input, scan.outBytes());
    assertThat(
            CommandRun.of(
                    "build", "-t", again, "-i", input, rows[0], rows[1], rows[2], rows[3], rows[4],
                    rows[5])
                .status())
        .isZero();
    assertThat(CommandRun.of("scan", "-t", again).out())
        .isEqualTo(CommandRun.of("scan", "-t", table).out());
    CommandRun negative = CommandRun.of("scan", "-t", table, "--limit", "-1");
    assertThat(negative.status()).isEqualTo(2);
    assertThat(negative.err()).isEqualTo("bsdb: --limit: expected 0 or more, actual -1\n");
    CommandRun plain = CommandRun.of("scan", "-t", table, "--format", "parquet");
    assertThat(plain.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(plain.err()).contains("--format parquet needs --output");
  }
}
