package io.bsdb.cli;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.table.SnapshotDirectory;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How fast it is does not matter here: what is measured, and that it is measured, does. */
class BenchCommandTest {
  private static final int RECORDS = 1000;

  @TempDir private Path directory;

  @Test
  void printsOneFigurePerLine() throws IOException {
    Path table = table(WriterOptions.defaults());

    CommandRun bench = CommandRun.of("bench", "--table", table, "--seconds", "0.1");

    assertThat(bench.err()).doesNotContain("bsdb: ");
    assertThat(bench.status()).isZero();
    assertThat(bench.out().lines())
        .contains("records               1,000", "access                MAPPED")
        .contains("foundShare            1.000", "readsPerLookup        0.000")
        .anyMatch(line -> line.matches("lookupsPerSecond +[0-9,]+"))
        .anyMatch(line -> line.matches("latencyNanos +\\{p50=\\d+, .*max=\\d+\\}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--batch=7", "--async --in-flight=4", "--block-cache=1M"})
  void looksUpInEveryWay(String ways) throws IOException {
    Path table = table(WriterOptions.defaults());

    JsonNode json = json(table, ("--access direct --threads=3 --absent 10 " + ways).split(" "));

    assertThat(json.path("distinctKeys").asInt()).isEqualTo(RECORDS);
    assertThat(json.path("lookups").asLong()).isGreaterThanOrEqualTo(3 * 256);
    assertThat(json.path("foundShare").asDouble()).isBetween(0.8, 0.97);
    assertThat(json.path("lookupsPerSecond").asDouble()).isPositive();
    JsonNode latency = json.path("latencyNanos");
    assertThat(latency.path("p50").asLong()).isPositive();
    assertThat(latency.path("p99.9").asLong())
        .isBetween(latency.path("p50").asLong(), latency.path("max").asLong());
  }

  @Test
  void countsReadsFromDisk() throws IOException {
    Path table = table(WriterOptions.defaults());

    JsonNode present = json(table, "--access", "direct");
    JsonNode absent = json(table, "--access", "direct", "--absent", "100");

    assertThat(present.path("access").asText()).isEqualTo("DIRECT");
    assertThat(present.path("readsPerLookup").asDouble()).isEqualTo(1);
    assertThat(present.path("bytesReadPerLookup").asDouble()).isEqualTo(4096);
    assertThat(absent.path("foundShare").asDouble()).isZero();
    assertThat(absent.path("readsPerLookup").asDouble()).isLessThan(0.05);
  }

  @Test
  void fillsTheCacheThatFuturesAreAnsweredFrom() throws IOException {
    String[] ways = "--access direct --async --block-cache 1M".split(" ");

    JsonNode json = json(table(WriterOptions.defaults()), ways);

    assertThat(json.path("readsPerLookup").asDouble()).isZero();
  }

  @Test
  void looksUpKeysOfAFileThatAreNotUtf8() throws IOException {
    Path table = directory.resolve("bytes");
    byte[] key = {(byte) 0xff, 'k'};
    Records.empty().add(key, bytes("value")).publish(table, WriterOptions.defaults());
    Path keys = Files.write(directory.resolve("keys"), key);

    assertThat(json(table, "--keys", keys.toString()).path("foundShare").asDouble()).isEqualTo(1);
  }

  @Test
  void takesKeysOfAFileAsTheyAre() throws IOException {
    Path keys = Files.writeString(directory.resolve("keys"), "key 1\nkey 2\nkey 3\nnone\n");

    JsonNode json = json(table(WriterOptions.defaults()), "--keys", keys.toString());

    assertThat(json.path("distinctKeys").asInt()).isEqualTo(4);
    assertThat(json.path("foundShare").asDouble()).isEqualTo(0.75);
  }

  @Test
  void readsKeysOfAFileByTheSchema() throws IOException {
    Schema schema =
        Schema.builder()
            .column("id", "BIGINT NOT NULL")
            .column("v", "STRING")
            .primaryKey("id")
            .build();
    RowCodec codec = RowCodec.of(schema);
    Path table = directory.resolve("typed");
    try (SnapshotWriter writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(schema).build())) {
      writer.add(codec.encodeKey(7L), codec.encodeValue("seven"));
      writer.publish();
    }
    Path keys = Files.writeString(directory.resolve("keys"), "7\n8\n");

    JsonNode json = json(table, "--keys", keys.toString());

    assertThat(json.path("foundShare").asDouble()).isEqualTo(0.5);
  }

  @Test
  void saysWhenItCannotFindAbsentKeys() throws IOException {
    Path table = directory.resolve("full");
    try (SnapshotWriter writer = SnapshotWriter.create(table, WriterOptions.defaults())) {
      for (int i = 0; i < 256; i++) {
        writer.add(new byte[] {(byte) i}, new byte[0]);
      }
      writer.publish();
    }

    CommandRun bench = CommandRun.of("bench", "--table", table, "--absent", "10");

    assertThat(bench.status()).isEqualTo(ExitStatus.NO);
    assertThat(bench.err()).contains("--absent: nearly every key of 1 bytes is in the table");
  }

  @Test
  void needsKeysForAnApproximateTable() throws IOException {
    CommandRun bench =
        CommandRun.of("bench", "--table", table(WriterOptions.builder().approximate().build()));

    assertThat(bench.status()).isEqualTo(ExitStatus.NO);
    assertThat(bench.err()).contains("approximate").contains("--keys");
  }

  @Test
  void reportsUsageErrors() throws IOException {
    Path table = table(WriterOptions.defaults());

    assertThat(CommandRun.of("bench", "--table", table, "--threads", "0").status())
        .isEqualTo(ExitStatus.USAGE);
    assertThat(CommandRun.of("bench", "--table", table, "--async", "--batch", "2").err())
        .contains("--async and --batch exclude each other");
    assertThat(CommandRun.of("bench", "--table", table, "--absent", "2", "--keys", "k").err())
        .contains("--absent and --keys exclude each other");
    assertThat(CommandRun.of("bench", "--table", table, "--absent", "101").status())
        .isEqualTo(ExitStatus.USAGE);
    assertThat(CommandRun.of("bench", "--table", directory.resolve("none")).status())
        .isEqualTo(ExitStatus.UNREADABLE);
  }

  @Test
  void reportsDamageInsteadOfMeasuringIt() throws IOException {
    Path table = table(WriterOptions.defaults());
    Path file = SnapshotDirectory.of(table).resolve("part-00000.bsdb");
    byte[] bytes = Files.readAllBytes(file);
    bytes[5000] ^= 1;
    Files.write(file, bytes);

    CommandRun bench = CommandRun.of("bench", "--table", table, "--seconds", "0.1");

    assertThat(bench.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(bench.err()).contains("mismatch").contains("part-00000.bsdb");
  }

  private Path table(WriterOptions options) throws IOException {
    Path table = directory.resolve("table");
    Records.numbered(RECORDS, i -> "key " + i, i -> "value " + i).publish(table, options);
    return table;
  }

  private static JsonNode json(Path table, String... arguments) throws IOException {
    Object[] all = new Object[arguments.length + 6];
    Object[] first = {"bench", "--table", table, "--seconds", "0.1", "--json"};
    System.arraycopy(first, 0, all, 0, first.length);
    System.arraycopy(arguments, 0, all, first.length, arguments.length);
    CommandRun bench = CommandRun.of(all);
    assertThat(bench.status()).as(bench.err()).isZero();
    return new ObjectMapper().readTree(bench.out());
  }
}
