package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables with a history on the command line. */
class HistoryCommandsTest {
  @TempDir private Path directory;

  private RowCodec codec(String timeType) {
    return RowCodec.of(
        Schema.builder()
            .column("item", "STRING NOT NULL")
            .column("valid_from", timeType + " NOT NULL")
            .column("price", "INT NOT NULL")
            .primaryKey("item", "valid_from")
            .keyEncoding(KeyEncoding.ORDERED)
            .build());
  }

  private final RowCodec codec = codec("TIMESTAMP_LTZ(3)");

  private Path table() {
    return directory.resolve("table");
  }

  /** Puts a history in service: bread from January on, ended in March; milk from February on. */
  private String build() throws IOException {
    WriterOptions options = WriterOptions.builder().history(null).schema(codec.schema()).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table(), options)) {
      writer.add(key("bread", "2026-01-01T00:00:00Z"), codec.encodeValue(320));
      writer.add(key("bread", "2026-03-01T00:00:00Z"), RowWriter.ended());
      writer.add(key("milk", "2026-02-01T00:00:00Z"), codec.encodeValue(140));
      return writer.publish().version();
    }
  }

  private byte[] key(String item, String time) {
    return codec.encodeKey(item, Instant.parse(time));
  }

  private CommandRun getAsOf(String time, String... keys) {
    Object[] arguments = new Object[keys.length + 6];
    Object[] first = {"get", "--table", table(), "--as-of", time, "--"};
    System.arraycopy(first, 0, arguments, 0, first.length);
    System.arraycopy(keys, 0, arguments, first.length, keys.length);
    return CommandRun.of(arguments);
  }

  @Test
  void findsTheRowThatWasValid() throws IOException {
    build();

    CommandRun february = getAsOf("2026-02-15T00:00:00+01:00", "bread", "milk", "salt");
    assertThat(february.out())
        .isEqualTo(
            """
            bread\t{"item": "bread", "valid_from": "2026-01-01T00:00:00Z"}\t\
            {"item": "bread", "valid_from": "2026-01-01T00:00:00Z", "price": 320}
            milk\t{"item": "milk", "valid_from": "2026-02-01T00:00:00Z"}\t\
            {"item": "milk", "valid_from": "2026-02-01T00:00:00Z", "price": 140}
            salt\tnull\tnull
            """);
    assertThat(february.err()).isEqualTo("absent: salt\n");
    CommandRun ended = getAsOf("2026-03-01T00:00:00Z", "bread");
    assertThat(ended.out()).isEqualTo("bread\tnull\tnull\n");
    assertThat(ended.status()).isEqualTo(ExitStatus.NO);
    assertThat(getAsOf("2026-01-31T23:59:59Z", "milk").status()).isEqualTo(ExitStatus.NO);
    CommandRun exact = CommandRun.of("get", "-t", table(), "--", "bread,2026-03-01T00:00:00Z");
    assertThat(exact.err()).isEqualTo("absent: bread,2026-03-01T00:00:00Z\n");

    Path keys = Files.writeString(directory.resolve("keys"), "milk\nbread\n");
    assertThat(
            CommandRun.of("get", "-t", table(), "--as-of", "2026-05-01T00:00:00Z", "--keys", keys)
                .out())
        .startsWith("milk\t{")
        .endsWith("bread\tnull\tnull\n");
  }

  @Test
  void saysWhichKeysAndTimesItTakes() throws IOException {
    build();

    CommandRun whole = getAsOf("2026-02-01T00:00:00Z", "bread,2026-02-01T00:00:00Z");
    assertThat(whole.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(whole.err())
        .contains("are not the values of [item]: leave out only 'valid_from', the last column");
    CommandRun noTime = getAsOf("yesterday", "bread");
    assertThat(noTime.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(noTime.err())
        .contains("time 'yesterday'", "valid_from", ", expected like 2026-05-17T09:30:00Z\n");
    CommandRun both =
        CommandRun.of(
            "get", "-t", table(), "--floor", "--as-of", "2026-02-01T00:00:00Z", "--", "bread");
    assertThat(both.status()).isEqualTo(ExitStatus.USAGE);
    CommandRun longest =
        CommandRun.of("get", "-t", table(), "--longest-prefix", "--", "bread,2026-02-01T00:00:00Z");
    assertThat(longest.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(longest.err()).contains("and are no prefixes; ask for a floor");
  }

  @Test
  void takesTimesWithoutZoneForThoseOfColumnsWithoutZone() throws IOException {
    RowCodec local = codec("TIMESTAMP(3)");
    WriterOptions options = WriterOptions.builder().history(null).schema(local.schema()).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table(), options)) {
      LocalDateTime time =
          LocalDateTime.ofInstant(Instant.parse("1969-12-31T12:00:00Z"), ZoneOffset.UTC);
      writer.add(local.encodeKey("bread", time), local.encodeValue(1));
      writer.publish();
    }

    assertThat(getAsOf("1969-12-31T12:00:00", "bread").status()).isEqualTo(ExitStatus.OK);
    assertThat(getAsOf("1969-12-31T11:59:59.999", "bread").status()).isEqualTo(ExitStatus.NO);
  }

  @Test
  void showsEndedRowsOnlyWhenAskedFor() throws IOException {
    build();

    assertThat(CommandRun.of("scan", "-t", table()).out())
        .isEqualTo(
            """
            {"item": "bread", "valid_from": "2026-01-01T00:00:00Z", "price": 320}
            {"item": "milk", "valid_from": "2026-02-01T00:00:00Z", "price": 140}
            """);
    assertThat(CommandRun.of("scan", "-t", table(), "--history", "--prefix", "bread").out())
        .isEqualTo(
            """
            {"item": "bread", "valid_from": "2026-01-01T00:00:00Z", "price": 320, "ended": false}
            {"item": "bread", "valid_from": "2026-03-01T00:00:00Z", "price": null, "ended": true}
            """);
    assertThat(CommandRun.of("scan", "-t", table(), "--history", "--format", "csv").out())
        .isEqualTo(
            """
            item,valid_from,price,ended
            bread,2026-01-01T00:00:00Z,320,false
            bread,2026-03-01T00:00:00Z,,true
            milk,2026-02-01T00:00:00Z,140,false
            """);
    CommandRun verified = CommandRun.of("verify", "-t", table());
    assertThat(verified.status()).as(verified.err()).isEqualTo(ExitStatus.OK);
    CommandRun inspected = CommandRun.of("inspect", "-t", table(), "--histograms");
    assertThat(inspected.status()).as(inspected.err()).isEqualTo(ExitStatus.OK);
  }

  @Test
  void comparesAndVerifiesEndedRowsOfChanges() throws IOException {
    String first = build();
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table()))) {
      writer.put(key("milk", "2026-04-01T00:00:00Z"), RowWriter.ended());
      writer.put(key("bread", "2026-03-01T00:00:00Z"), codec.encodeValue(350));
      writer.publish();
    }

    CommandRun diff = CommandRun.of("diff", "-t", table(), "--from", first);
    assertThat(diff.out().lines())
        .containsExactlyInAnyOrder(
            "+ {\"item\": \"milk\", \"valid_from\": \"2026-04-01T00:00:00Z\", \"price\": null, \"ended\": true}",
            "- {\"item\": \"bread\", \"valid_from\": \"2026-03-01T00:00:00Z\", \"price\": null, \"ended\": true}",
            "+ {\"item\": \"bread\", \"valid_from\": \"2026-03-01T00:00:00Z\", \"price\": 350, \"ended\": false}");
    assertThat(diff.err()).isEqualTo("added=1 removed=0 changed=1\n");
    CommandRun verified = CommandRun.of("verify", "-t", table());
    assertThat(verified.status()).as(verified.err()).isEqualTo(ExitStatus.OK);
    CommandRun folded = CommandRun.of("compact", "-t", table(), "--all");
    assertThat(folded.status()).as(folded.err()).isEqualTo(ExitStatus.OK);
    assertThat(CommandRun.of("scan", "-t", table(), "--history").out().lines()).hasSize(4);
  }

  @Test
  void refusesToBeStrictWhereNothingIsPromised() throws IOException {
    try (SnapshotWriter writer =
        SnapshotWriter.create(
            table(),
            WriterOptions.builder().schema(codec.schema()).order(RecordOrder.KEY).build())) {
      writer.add(key("bread", "2026-01-01T00:00:00Z"), codec.encodeValue(320));
      writer.publish();
    }

    assertThat(getAsOf("2026-02-01T00:00:00Z", "bread").status()).isEqualTo(ExitStatus.OK);
    CommandRun strict =
        CommandRun.of(
            "get", "-t", table(), "--strict", "--as-of", "2026-02-01T00:00:00Z", "--", "bread");
    assertThat(strict.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(strict.err()).contains("the table has no history: leave out --strict");
  }

  @Test
  void refusesAHistoryThatThereIsNot() throws IOException {
    Path input = Files.writeString(directory.resolve("input"), "a 1\n");
    CommandRun.of("build", "--table", table(), "--input", input, "--order", "key");

    CommandRun scan = CommandRun.of("scan", "-t", table(), "--history");
    assertThat(scan.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(scan.err()).contains("the table has no history");
    CommandRun get = getAsOf("2026-02-01T00:00:00Z", "a");
    assertThat(get.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(get.err()).contains("the table has no schema, so its keys have no time");
  }
}
