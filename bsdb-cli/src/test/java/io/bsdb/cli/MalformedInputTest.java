package io.bsdb.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that are none: wherever they are, file, line and what is wrong are told. */
class MalformedInputTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aBadRowIsReportedWhereverItIs(int line) throws IOException {
    String jsonBefore = "{\"id\": 0}\n".repeat(line - 1);
    assertRefused(
        "jsonl",
        jsonBefore + "{\"id\": 1\n",
        line + ": not JSON: Unexpected end-of-input: expected close marker for Object\n");
    assertRefused(
        "jsonl",
        jsonBefore + "{\"id\": 1]\n",
        line + ": not JSON: Unexpected close marker ']': expected '}'\n");
    assertRefused("jsonl", jsonBefore + "[1]\n", line + ": not a JSON object: [1]");
    String csvBefore = "id,name\n" + "0,a\n".repeat(line - 1);
    assertRefused("csv", csvBefore + "1\n", (line + 1) + ": 1 fields, the header has 2");
    assertRefused("csv", csvBefore + "1,\"a\n", (line + 1) + ": not CSV from here on: ");
  }

  @Test
  void badRowsThatAreSkippedAreShownOnce() throws IOException {
    CommandRun build = build("jsonl", "nothing\n{\"id\": 1}\n[]\n", UTF_8, "--on-bad-line", "skip");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.err().lines().filter(line -> line.startsWith("skipped "))).hasSize(3);
    assertThat(build.err())
        .contains("skipped " + directory.resolve("in.jsonl") + ":1: not JSON: ")
        .contains("skipped 2 lines that are not records");
  }

  @Test
  void inputsWithoutARowSayNothingOfColumns() throws IOException {
    assertRefused(build("csv", "id,name\n", UTF_8), "no row to infer the columns from in [");
    assertRefused(build("jsonl", "", UTF_8), "no row to infer the columns from in [");
    assertRefused(
        build("jsonl", "x\n", UTF_8, "--on-bad-line", "skip"), "no row to infer the columns from");
  }

  @Test
  void malformedTextInJsonIsRefused() throws IOException {
    assertRefused(
        "jsonl",
        "{\"id\": \"a\"}\n{\"id\": \"\\ud800\"}\n",
        "2: column 'id': malformed text: unpaired surrogate \\ud800 at index 0");
    assertRefused(
        "jsonl",
        "{\"id\": \"a\", \"name\": \"x\\udc00\"}\n",
        "1: column 'name': malformed text: unpaired surrogate \\udc00 at index 1");
    assertRefused(
        build("jsonl", "{\"id\": \"a\", \"\\ud800\": 1}\n", UTF_8),
        "in.jsonl:1: not JSON: Broken surrogate pair in field name");
  }

  /** Latin-1; a surrogate as three bytes; an overlong A; the end of the file within a character. */
  @ParameterizedTest
  @ValueSource(strings = {"Z\u00fcrich", "\u00ed\u00a0\u0080", "\u00c1\u0081", "\u00c3"})
  void bytesThatAreNotUtf8AreRefused(String bytes) throws IOException {
    assertRefused(
        build("jsonl", "{\"id\": \"a\"}\n{\"id\": \"" + bytes + "\"}\n", ISO_8859_1),
        "in.jsonl:2: malformed UTF-8 in byte " + (bytes.startsWith("Z") ? 10 : 9) + " of the line");
    assertRefused(
        build("csv", "id,name\r\n\u00c3\u00a4,\"a\nb\"\r\nx," + bytes, ISO_8859_1),
        "in.csv:4: malformed UTF-8 in column " + (bytes.startsWith("Z") ? 4 : 3) + ": bytes ");
  }

  @Test
  void aByteOrderMarkIsPassedOver() throws IOException {
    assertThat(build("csv", "\ufeffid,name\n1,a\n", UTF_8).status()).isZero();
    assertThat(build("jsonl", "\ufeff{\"id\": 1}\n", UTF_8).status()).isZero();
  }

  @Test
  void keysToLookUpAreRefusedToo() throws IOException {
    Path input = Files.writeString(directory.resolve("in.csv"), "a,b,c\n?,1,x\n");
    Path table = directory.resolve("t");
    CommandRun build =
        CommandRun.of("build", "-t", table, "-i", input, "--format", "csv", "--key", "a,b");
    assertThat(build.status()).as(build.err()).isZero();

    CommandRun get = CommandRun.of("get", "-t", table, "--", "[\"\\ud800\", 1]");

    assertThat(get.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(get.err()).contains("column 'a': malformed text: unpaired surrogate \\ud800");
  }

  private void assertRefused(String format, String text, String message) throws IOException {
    assertRefused(build(format, text, UTF_8), directory.resolve("in." + format) + ":" + message);
  }

  private static void assertRefused(CommandRun build, String message) {
    assertThat(build.err()).contains(message);
    assertThat(build.status()).isEqualTo(ExitStatus.NO);
  }

  private CommandRun build(String format, String text, Charset charset, Object... more)
      throws IOException {
    Path input = Files.writeString(directory.resolve("in." + format), text, charset);
    Object[] arguments = {
      "build", "-t", directory.resolve("t"), "-i", input, "--format", format, "--key", "id"
    };
    Object[] all = Arrays.copyOf(arguments, arguments.length + more.length);
    System.arraycopy(more, 0, all, arguments.length, more.length);
    return CommandRun.of(all);
  }
}
