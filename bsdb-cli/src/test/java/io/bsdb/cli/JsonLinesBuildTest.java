package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.StreamReadConstraints;
import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows of JSON lines. */
class JsonLinesBuildTest extends BuildFixture {
  @Test
  void infersTheColumnsOfJsonLines() throws IOException {
    Path input =
        file(
            "in.jsonl",
            """
            {"id": "007", "n": 1, "x": null}

            {"id": "008", "n": 1.5, "x": {"a": [1]}, "late": true}
            """);

    CommandRun build = build("jsonl", input, "--key", "id");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("007", "008"))
        .isEqualTo(
            """
            007\t{"id": "007", "n": 1.0, "x": null, "late": null}
            008\t{"id": "008", "n": 1.5, "x": "{\\"a\\":[1]}", "late": true}
            """);
  }

  @Test
  void readsNestedJson() throws IOException {
    Path input =
        file("in.jsonl", "{\"id\": 1, \"tags\": [\"a\"], \"at\": {\"x\": 1}, \"m\": {\"k\": 2}}\n");

    CommandRun build =
        build(
            "jsonl",
            input,
            CommandRun.words(
                "--key id --schema %s",
                "id INT, tags ARRAY<STRING>, at ROW<x INT, y INT>, m MAP<STRING, BIGINT>"));

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("1"))
        .isEqualTo(
            "1\t{\"id\": 1, \"tags\": [\"a\"], \"at\": {\"x\": 1, \"y\": null}, \"m\": {\"k\":"
                + " 2}}\n");
  }

  @Test
  void keepsTheDigitsOfJsonNumbers() throws IOException {
    Path input =
        file("in.jsonl", "{\"id\": 100.0, \"price\": 20.00, \"x\": {\"a\": [20.00, 1.5]}}\n");

    CommandRun build =
        build(
            "jsonl", input, "--key", "id", "--schema", "id STRING, price DECIMAL(4, 1), x STRING");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(get("100.0"))
        .isEqualTo(
            "100.0\t{\"id\": \"100.0\", \"price\": 20.0, \"x\": \"{\\\"a\\\":[20.00,1.5]}\"}\n");
    CommandRun whole = build("jsonl", input, "--key", "id", "--schema", "id BIGINT");
    assertThat(whole.status()).isEqualTo(ExitStatus.NO);
    assertThat(whole.err())
        .endsWith("in.jsonl:1: '100.0' is not a value of `id` BIGINT NOT NULL\n");
  }

  @Test
  void takesTextsLongerThanWhatJacksonAllows() throws IOException {
    String text = "x".repeat(StreamReadConstraints.DEFAULT_MAX_STRING_LEN + 1);
    assertThat(build("csv", file("in.csv", "id,text\n1," + text + "\n"), "--key", "id").status())
        .isZero();
    Path json = file("in.jsonl", "{\"id\": 2, \"text\": \"" + text + "\"}\n");
    assertThat(build("jsonl", json, "--key", "id").status()).isZero();
  }

  @Test
  void namesTheLineThatIsNoJson() throws IOException {
    for (String line : List.of("{\"id\": 1", "{\"id\": 1} 2", "[1]", "{\"id\": 1, \"id\": 2}")) {
      CommandRun build =
          build("jsonl", file("in.jsonl", "{\"id\": 0}\n" + line + "\n"), "--key", "id");
      assertThat(build.status()).isEqualTo(ExitStatus.NO);
      assertThat(build.err()).contains("in.jsonl:2: not ");
    }
  }

  @Test
  void takesFieldsThatComeUpLate() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      lines.append("{\"id\": ").append(i).append("}\n");
    }
    lines.append("no JSON\n");
    lines.append("{\"id\": 10000, \"note\": \"new\"}\n{\"id\": 10001, \"more\": 1}\n");
    lines.append("{\"id\": 10002, \"more\": 2.5}\n");

    CommandRun build =
        build(
            "jsonl",
            file("in.jsonl", lines.toString()),
            CommandRun.words("--key id --on-bad-line skip --verify-input"));

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.err())
        .contains("column 'note' is not in the first rows; reading all rows to find the columns\n")
        .contains("from all rows: (`id` BIGINT NOT NULL, `note` STRING, `more` DOUBLE, PRIMARY")
        .contains("skipped 1 lines");
    assertThat(build.out()).contains("records=10003").contains("skipped=1");
    assertThat(CommandRun.of("get", "-t", table, "--", "10000", "10002").out())
        .contains("{\"id\": 10000, \"note\": \"new\", \"more\": null}")
        .contains("\"more\": 2.5}");
    CommandRun misfit =
        build(
            "jsonl",
            file("in.jsonl", lines.toString().replace("no JSON", "{\"id\": \"x\"}")),
            "--key",
            "id");
    assertThat(misfit.err()).contains("in.jsonl:10001: 'x' does not fit the inferred `id` BIGINT");
  }
}
