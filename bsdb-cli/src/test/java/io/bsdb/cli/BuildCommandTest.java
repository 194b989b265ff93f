package io.bsdb.cli;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.options.Layout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BuildCommandTest extends BuildFixture {
  @Test
  void putsARecordPerLineInService() throws IOException {
    Path input = file("in.txt", "a 1\nb 2 two\n");

    CommandRun build = CommandRun.of("build", "--table", table, "--input", input);

    assertThat(build.err()).contains("is in service: 2 records");
    assertThat(build.status()).isZero();
    assertThat(build.out())
        .startsWith("version=" + Table.at(table).requireCurrentVersion() + " records=2 bytes=")
        .hasLineCount(1);
    assertThat(get("a", "b")).isEqualTo("a\t1\nb\t2 two\n");
  }

  @Test
  void refusesAnEmptyInputUnlessAllowed() throws IOException {
    Path input = file("in.txt", "a 1\nb 2\nc 3\n");
    CommandRun.of("build", "-t", table, "-i", input);
    String before = Table.at(table).requireCurrentVersion();

    CommandRun empty = CommandRun.of("build", "-t", table, "-i", "-");

    assertThat(empty.status()).isEqualTo(ExitStatus.NO);
    assertThat(empty.err())
        .contains(
            "bsdb: too few rows, so nothing was published: table=%s expected>=1 actual=0; --min-rows allows fewer, and with 0 an empty table\n"
                .formatted(table));
    assertThat(Table.at(table).requireCurrentVersion()).isEqualTo(before);
    assertThat(Table.at(table).storage().list("snapshots")).containsExactly(before);
    CommandRun allowed = CommandRun.of("build", "-t", table, "-i", "-", "--min-rows", "0");
    assertThat(allowed.status()).as(allowed.err()).isZero();
    assertThat(allowed.out()).contains("records=0 ");
  }

  @Test
  void refusesATableThatShrinksByMoreThanAllowed() throws IOException {
    CommandRun.of("build", "-t", table, "-i", file("in.txt", "a 1\nb 2\nc 3\n"));
    Path fewer = file("fewer.txt", "a 1\n");

    CommandRun refused =
        CommandRun.of("build", "-t", table, "-i", fewer, "--max-shrinkage", "66.6%");

    assertThat(refused.status()).isEqualTo(ExitStatus.NO);
    assertThat(refused.err())
        .contains("has 3: expected>=2 actual=1; --max-shrinkage allows more to be missing\n");
    CommandRun unclear = CommandRun.of("build", "-t", table, "-i", fewer, "--max-shrinkage", "0.7");
    assertThat(unclear.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(unclear.err()).contains("expected 0% to 100%, such as 10%, actual '0.7'");
    CommandRun above = CommandRun.of("build", "-t", table, "-i", fewer, "--max-shrinkage", "200%");
    assertThat(above.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(above.err()).contains("expected 0% to 100%, such as 10%, actual '200%'");
    CommandRun allowed = CommandRun.of("build", "-t", table, "-i", fewer, "--max-shrinkage", "67%");
    assertThat(allowed.status()).as(allowed.err()).isZero();
  }

  @Test
  void keepsPropertiesAndSourcePositions() throws IOException {
    Path input = file("in.txt", "a 1\n");

    CommandRun build =
        CommandRun.line(
            "build -t %s -i %s --property owner=ops --property query=a=b --source-position kafka:c1/orders/t1/0=4711",
            table, input);

    assertThat(build.status()).as(build.err()).isZero();
    Manifest manifest = Table.at(table).manifest(Table.at(table).requireCurrentVersion());
    assertThat(manifest.properties()).isEqualTo(Map.of("owner", "ops", "query", "a=b"));
    assertThat(manifest.sourcePositions()).isEqualTo(Map.of("kafka:c1/orders/t1/0", "4711"));
    assertThat(CommandRun.of("inspect", "-t", table).out())
        .contains("property  owner=ops\n", "source    kafka:c1/orders/t1/0=4711\n");
    CommandRun wrong = CommandRun.of("build", "-t", table, "-i", input, "--property", "owner");
    assertThat(wrong.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(wrong.err()).contains("--property").contains("NAME=VALUE");
  }

  @Test
  void takesArgumentsThatBeginWithAnAtSignAsTheyAre() throws IOException {
    Path other = file("other", "-h");
    Path input = file("in.txt", "@@x 1\n@types/node 2\n@" + other + " 3\n");

    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    assertThat(get("@@x", "@types/node", "@" + other))
        .isEqualTo("@@x\t1\n@types/node\t2\n@" + other + "\t3\n");
    file("in.txt", "a@@1\n");
    CommandRun.of("build", "-t", table, "-i", input, "--separator", "@@");
    assertThat(get("a")).isEqualTo("a\t1\n");
  }

  @Test
  void namesBothPlacesOfADuplicate() throws IOException {
    build("k old\n");
    Path first = file("first.txt", "a 1\nk 2\n");
    Path second = file("second.txt", "b 1\nc 2\nk 3\n");

    CommandRun build = CommandRun.of("build", "-t", table, "-i", first, "-i", second);

    assertThat(build.status()).isEqualTo(ExitStatus.NO);
    assertThat(build.out()).isEmpty();
    assertThat(build.err())
        .contains("duplicate key 'k': " + first + ":2 and " + second + ":3; ")
        .doesNotContain("\tat ");
    assertThat(get("k")).isEqualTo("k\told\n");
  }

  @Test
  void namesADuplicateOfStandardInput() {
    CommandRun build = CommandRun.withInput(bytes("k 1\nk 2\n"), "build", "-t", table, "-i", "-");

    assertThat(build.status()).isEqualTo(ExitStatus.NO);
    assertThat(build.err()).contains("duplicate key 'k'; ");
  }

  @Test
  void keepsTheFirstOrTheLastOfDuplicates() throws IOException {
    Path input = file("in.txt", "k 1\nk 2\nk 3\n");

    assertThat(CommandRun.of("build", "-t", table, "-i", input, "--duplicates", "first").status())
        .isZero();
    assertThat(get("k")).isEqualTo("k\t1\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", input, "--duplicates", "last").status())
        .isZero();
    assertThat(get("k")).isEqualTo("k\t3\n");
  }

  @Test
  void aBadLineLeavesTheSnapshotInService() throws IOException {
    build("a old\n");
    String before = Table.at(table).requireCurrentVersion();
    String longKey = "k".repeat(65_536);
    for (String line : new String[] {"noseparator", " novalue", "", longKey + " v"}) {
      Path input = file("bad.txt", "a new\n" + line + "\nb 2\n");

      CommandRun build = CommandRun.of("build", "-t", table, "-i", input);

      assertThat(build.status()).isEqualTo(ExitStatus.NO);
      assertThat(build.err()).startsWith("bsdb: " + input + ":2: ").hasLineCount(1);
      assertThat(get("a")).isEqualTo("a\told\n");
      assertThat(Table.at(table).requireCurrentVersion()).isEqualTo(before);
      assertThat(table.resolve("snapshots")).isDirectoryNotContaining(p -> !p.endsWith(before));
    }
  }

  @Test
  void skipsBadLinesOnRequest() throws IOException {
    Path input = file("in.txt", "a 1\n" + "bad\n".repeat(12) + "b 2\n");

    CommandRun build = CommandRun.of("build", "-t", table, "-i", input, "--on-bad-line", "skip");

    assertThat(build.status()).isZero();
    assertThat(build.out()).contains(" records=2 ").contains(" skipped=12");
    assertThat(build.err())
        .contains("skipped " + input + ":2: ")
        .contains("skipped " + input + ":11: ")
        .doesNotContain(":12: ")
        .contains("skipped 12 lines");
  }

  @Test
  void namesAnOptionOutOfRange() throws IOException {
    Path input = file("in.txt", "a 1\n");

    CommandRun build = CommandRun.of("build", "-t", table, "-i", input, "--signature-bits", "33");

    assertThat(build.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(build.err()).contains("signature bits out of range: expected 0 to 32, actual 33");
  }

  @Test
  void buildsEveryLayoutAndVerifiesIt() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 5000; i++) {
      text.append("key").append(i).append(' ').append("value ".repeat(i % 20)).append('\n');
    }
    Path input = file("in.txt", text.toString());
    for (Layout layout : Layout.values()) {
      CommandRun build =
          CommandRun.line(
              "build -t %s -i %s --layout %s --partitions %s --verify",
              table, input, layout.label(), 3);
      assertThat(build.status()).as(build.err()).isZero();
      assertThat(get("key4999")).isEqualTo("key4999\t" + "value ".repeat(19) + "\n");
    }
  }

  @Test
  void verifiesWhatItBuilt() throws IOException {
    build("k old\n");
    String before = Table.at(table).requireCurrentVersion();
    Path input = file("in.txt", "bad\nk new\n");
    Object[] arguments = {"build", "-t", table, "-i", input, "--verify", "--on-bad-line", "skip"};

    CommandRun damaged =
        CommandRun.heard(
            line -> {
              if (line.startsWith("skipped 1 lines")) { // it is published
                damageAndRollBack(before);
              }
            },
            arguments);

    String built = Table.at(table).versions().get(1);
    assertThat(damaged.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(damaged.err())
        .contains("bsdb: " + built + " was put in service, but does not verify: ")
        .endsWith("; go back: bsdb rollback --table '" + table + "' " + before + "\n");
  }

  private void damageAndRollBack(String before) {
    try {
      String built = Table.at(table).requireCurrentVersion();
      Path file = table.resolve("snapshots").resolve(built).resolve("part-00000.bsdb");
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
      Table.at(table).rollback(before);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void buildsWithEveryPerfectHashAndRecordsWhich() throws IOException {
    Path input = file("in.txt", "rose red\nviolet blue\n");
    for (String name : new String[] {"pilot", "pilot-dense", "sux4j"}) {
      CommandRun build =
          CommandRun.of("build", "-t", table, "-i", input, "--perfect-hash", name, "--verify");
      assertThat(build.status()).as(build.err()).isZero();
      assertThat(CommandRun.of("inspect", "-t", table).out())
          .contains("perfectHash=" + name + "\n");
    }
    CommandRun wrong = CommandRun.of("build", "-t", table, "-i", input, "--perfect-hash", "pilots");
    assertThat(wrong.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(wrong.err()).contains("expected one of [pilot, pilot-dense, sux4j]");
  }

  @Test
  void buildsFromNoRecords() throws IOException {
    Path input = file("in.txt", "");
    assertThat(CommandRun.of("build", "-t", table, "-i", input, "--min-rows", 0).status()).isZero();
    assertThat(CommandRun.of("get", "-t", table, "--", "a").status()).isEqualTo(ExitStatus.NO);
  }
}
