package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What two versions differ in. */
class DiffCommandTest {
  @TempDir private Path directory;
  private Path table;
  private String first;

  @BeforeEach
  void build() throws Exception {
    table = directory.resolve("t");
    first = publish("a 1\nb 2\nc 3\n");
  }

  private String publish(String records) throws Exception {
    Path input = Files.writeString(directory.resolve("in"), records);
    assertThat(CommandRun.of("build", "-t", table, "-i", input, "--partitions", 3).status())
        .isZero();
    return Table.at(table).requireCurrentVersion();
  }

  @Test
  void printsRowsThatDifferBetweenBuilds() throws Exception {
    publish("a 1\nb 4\nd 5\n");
    CommandRun diff = CommandRun.of("diff", "-t", table, "--from", first);
    assertThat(diff.status()).isEqualTo(1);
    assertThat(diff.out().lines())
        .containsExactlyInAnyOrder("- b\t2", "+ b\t4", "- c\t3", "+ d\t5");
    assertThat(diff.err()).isEqualTo("added=1 removed=1 changed=1\n");
    CommandRun json = CommandRun.of("diff", "-t", table, "--from", first, "--json");
    assertThat(json.out().lines())
        .contains(
            "{\"change\": \"changed\", \"before\": {\"key\":\"b\",\"value\":\"2\"}, \"after\": {\"key\":\"b\",\"value\":\"4\"}}",
            "{\"change\": \"removed\", \"before\": {\"key\":\"c\",\"value\":\"3\"}}");
    CommandRun limited = CommandRun.of("diff", "-t", table, "--from", first, "--limit", 1);
    assertThat(limited.out().lines().count()).isBetween(1L, 2L);
    assertThat(limited.err()).isEqualTo("added=1 removed=1 changed=1\n");
  }

  @Test
  void comparesChangesOverTheSameFiles() throws Exception {
    assertThat(CommandRun.of("put", "-t", table, "--", "a", "9").status()).isZero();
    String second = Table.at(table).requireCurrentVersion();
    assertThat(CommandRun.of("delete", "-t", table, "--", "b").status()).isZero();
    CommandRun all = CommandRun.of("diff", "-t", table, "--from", first);
    assertThat(all.out().lines()).containsExactlyInAnyOrder("- a\t1", "+ a\t9", "- b\t2");
    CommandRun back = CommandRun.of("diff", "-t", table, "--from", second, "--to", first);
    assertThat(back.out().lines()).containsExactlyInAnyOrder("- a\t9", "+ a\t1");
    CommandRun same = CommandRun.of("diff", "-t", table, "--from", second, "--to", second);
    assertThat(same.status()).isZero();
    assertThat(same.out()).isEmpty();
    assertThat(same.err()).isEqualTo("added=0 removed=0 changed=0\n");
  }

  @Test
  void comparesASample() throws Exception {
    StringBuilder before = new StringBuilder();
    StringBuilder after = new StringBuilder();
    for (int i = 0; i < 4000; i++) {
      before.append("k").append(i).append(" 1\n");
      after.append("k").append(i).append(" 2\n");
    }
    String from = publish(before.toString());
    publish(after.toString());
    CommandRun diff =
        CommandRun.of("diff", "-t", table, "--from", from, "--sample", "0.25", "--limit", 0);
    assertThat(diff.out()).isEmpty();
    assertThat(diff.err())
        .matches("added=0 removed=0 changed=(9|1,0)[0-9]{2} in a sample of 0.25 of the keys\n");
  }

  @Test
  void refusesWhatCannotBeCompared() throws Exception {
    assertThat(CommandRun.of("diff", "-t", table, "--from", first, "--sample", "0").err())
        .isEqualTo("bsdb: share of keys: expected >0 and <=1, actual 0.0\n");
    CommandRun negative = CommandRun.of("diff", "-t", table, "--from", first, "--limit", "-1");
    assertThat(negative.status()).isEqualTo(2);
    assertThat(negative.err()).isEqualTo("bsdb: --limit: expected 0 or more, actual -1\n");
    CommandRun absent = CommandRun.of("diff", "-t", table, "--from", "0000000007-0a1b2c3d");
    assertThat(absent.status()).isEqualTo(3);
    assertThat(absent.err()).contains("0000000007-0a1b2c3d");
    CommandRun malformed = CommandRun.of("diff", "-t", table, "--from", "x");
    assertThat(malformed.status()).isIn(2, 3);
    Path input = Files.writeString(directory.resolve("rows"), "{\"id\":1}\n");
    assertThat(
            CommandRun.of("build", "-t", table, "-i", input, "--format", "jsonl", "--key", "id")
                .status())
        .isZero();
    String rows = Table.at(table).requireCurrentVersion();
    assertThat(CommandRun.of("diff", "-t", table, "--from", first).err())
        .startsWith("bsdb: versions with different schemas cannot be compared: " + first)
        .endsWith(" has none, %s has (`id` BIGINT NOT NULL, PRIMARY KEY (`id`))\n".formatted(rows));
    Object[] inOrder = {
      "build", "-t", table, "-i", input, "--format", "jsonl", "--key", "id", "--order", "key"
    };
    assertThat(CommandRun.of(inOrder).status()).isZero();
    assertThat(CommandRun.of("diff", "-t", table, "--from", rows).err())
        .endsWith(" PRIMARY KEY (`id`)) with keyEncoding 'ordered'\n");
  }
}
