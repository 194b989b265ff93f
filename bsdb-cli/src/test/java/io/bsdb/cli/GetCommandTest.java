package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.table.SnapshotDirectory;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GetCommandTest {
  @TempDir private Path table;
  @TempDir private Path directory;

  @Test
  void printsValuesAsTheyAre() throws IOException {
    byte[] value = {0, (byte) 0xFF, '\n', '\t'};
    write(WriterOptions.defaults(), "k", value);

    CommandRun get = CommandRun.of("get", "--table", table, "--", "k");

    assertThat(get.status()).isZero();
    assertThat(get.err()).isEmpty();
    assertThat(get.outBytes()).containsExactly('k', '\t', 0, 0xFF, '\n', '\t', '\n');
  }

  @Test
  void namesAbsentKeys() throws IOException {
    write(WriterOptions.defaults(), "k", new byte[] {'v'});

    CommandRun get = CommandRun.of("get", "--table", table, "--", "x", "k", "-y");

    assertThat(get.status()).isEqualTo(ExitStatus.NO);
    assertThat(get.out()).isEqualTo("k\tv\n");
    assertThat(get.err()).isEqualTo("absent: x\nabsent: -y\n");
    CommandRun noFile = CommandRun.of("get", "--table", table, "--keys", table);
    assertThat(noFile.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(noFile.err())
        .isEqualTo("bsdb: expected a file, found a directory: '" + table + "'\n");
  }

  @Test
  void saysThatStandardInputCannotBeRead() throws IOException {
    write(WriterOptions.defaults(), "k", new byte[] {'v'});
    InputStream closed = InputStream.nullInputStream();
    closed.close();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream messages = new PrintStream(err, true, StandardCharsets.UTF_8);
    Console console = new Console(closed, OutputStream.nullOutputStream(), messages, false);

    assertThat(Bsdb.execute(console, "get", "-t", table.toString(), "--keys", "-"))
        .isEqualTo(ExitStatus.UNREADABLE);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("bsdb: cannot read (standard input): Stream closed\n");
  }

  @Test
  void asksOneVersionWhetherItIsInServiceOrNot() throws IOException {
    write(WriterOptions.defaults(), "k", new byte[] {'1'});
    Path first = SnapshotDirectory.of(table);
    write(WriterOptions.defaults(), "k", new byte[] {'2'});

    assertThat(CommandRun.of("get", "-t", first, "--", "k").out()).isEqualTo("k\t1\n");
    assertThat(CommandRun.of("get", "-t", table, "--", "k").out()).isEqualTo("k\t2\n");
    assertThat(CommandRun.of("get", "--help").out())
        .contains("DIR may also be the directory of one snapshot");
  }

  @Test
  void refusesATableWhoseChangesDoNotFitTheMemory() throws IOException {
    write(WriterOptions.defaults(), "k", new byte[] {'1'});
    Path changes = Files.writeString(directory.resolve("changes"), "+ l 2\n");
    assertThat(CommandRun.of("apply", "-t", table, "-i", changes).status()).isZero();

    CommandRun refused = CommandRun.of("get", "-t", table, "--memory", "1k", "--", "k");

    assertThat(refused.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(refused.err())
        .startsWith("bsdb: memory budget exceeded: changes up to segment=" + table)
        .contains(
            " bytes of 1024 bytes, in use=0 bytes; raise bsdb.memory, or fold changes with 'bsdb compact'\n");
    assertThat(CommandRun.of("get", "-t", table, "--memory", "1m", "--", "k", "l").out())
        .isEqualTo("k\t1\nl\t2\n");
  }

  @Test
  void findsKeysOfManyBytes() throws IOException {
    write(WriterOptions.defaults(), "Zürich ☃", new byte[] {'v'});

    assertThat(CommandRun.of("get", "--table", table, "--", "Zürich ☃").out())
        .isEqualTo("Zürich ☃\tv\n");
  }

  @Test
  void refusesACommandLineWithoutTableOrKey() {
    CommandRun noTable = CommandRun.of("get", "--", "k");
    assertThat(noTable.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(noTable.err())
        .startsWith("bsdb: Missing required option: '--table=DIR'")
        .contains("'bsdb get --help'");
    assertThat(CommandRun.of("get", "--table", table).status()).isEqualTo(ExitStatus.USAGE);
    assertThat(CommandRun.of("get", "--table", table, "--bogus", "k").status())
        .isEqualTo(ExitStatus.USAGE);
    assertThat(CommandRun.of("fetch").status()).isEqualTo(ExitStatus.USAGE);
    assertThat(CommandRun.of().status()).isEqualTo(ExitStatus.USAGE);
  }

  @Test
  void tellsThatThereIsNoTable() {
    CommandRun get = CommandRun.of("get", "--table", table.resolve("missing"), "--", "k");

    assertThat(get.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(get.err())
        .startsWith("bsdb: " + table.resolve("missing") + ": no such table directory")
        .hasLineCount(1);
  }

  @Test
  void tellsThatTheTableIsAFile() throws IOException {
    Path file = Files.writeString(table.resolve("colours.txt"), "rose red\n");

    CommandRun get = CommandRun.of("get", "--table", file, "--", "rose");

    assertThat(get.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(get.err()).isEqualTo("bsdb: not a directory: " + file + "\n");
  }

  @Test
  void tellsThatNothingWasPublished() {
    CommandRun get = CommandRun.of("get", "--table", table, "--", "k");

    assertThat(get.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(get.err()).contains("no snapshot has been published here").hasLineCount(1);
  }

  @Test
  void tellsWhereTheTableIsCorrupt() throws IOException {
    write(WriterOptions.defaults(), "k", new byte[] {'v'});
    Path manifest = SnapshotDirectory.of(table).resolve("manifest.json");
    Files.writeString(manifest, Files.readString(manifest).replace("blocked", "BLOCKED"));

    CommandRun get = CommandRun.of("get", "--table", table, "--", "k");

    assertThat(get.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(get.err()).contains("checksum mismatch").contains(manifest.toString());
    assertThat(CommandRun.of("--stacktrace", "get", "--table", table, "--", "k").err())
        .contains("\tat io.bsdb");
  }

  @Test
  void printsRowsAsJson() throws IOException {
    Schema schema =
        Schema.builder()
            .column("country", "STRING")
            .column("number", "BIGINT")
            .column("name", "STRING")
            .column("since", "DATE")
            .primaryKey("country", "number")
            .build();
    RowCodec codec = RowCodec.of(schema);
    try (SnapshotWriter writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(schema).build())) {
      Map<String, Object> row =
          Map.of(
              "country",
              "D,E",
              "number",
              4711L,
              "name",
              "Köln \"4711\"",
              "since",
              LocalDate.of(1792, 10, 8));
      writer.add(codec.encodeKey(row), codec.encodeValue(row));
      writer.publish();
    }
    String json =
        "{\"country\": \"D,E\", \"number\": 4711, \"name\": \"Köln \\\"4711\\\"\","
            + " \"since\": \"1792-10-08\"}";

    CommandRun get = CommandRun.of("get", "-t", table, "--", "[\"D,E\", 4711]", "DE,4711");

    assertThat(get.status()).isEqualTo(ExitStatus.NO);
    assertThat(get.out()).isEqualTo("[\"D,E\", 4711]\t" + json + "\n");
    assertThat(get.err()).isEqualTo("absent: DE,4711\n");
    CommandRun tooFew = CommandRun.of("get", "-t", table, "--", "DE");
    assertThat(tooFew.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(tooFew.err()).contains("1 values for the key columns");
    CommandRun wrongType = CommandRun.of("get", "-t", table, "--", "DE,x");
    assertThat(wrongType.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(wrongType.err()).contains("'x' is not a value of `number` BIGINT NOT NULL");
  }

  @Test
  void readsTheDigitsOfAKeyInJson() throws IOException {
    Schema schema =
        Schema.builder()
            .column("amount", "DECIMAL(20, 2)")
            .column("code", "STRING")
            .primaryKey("amount", "code")
            .build();
    RowCodec codec = RowCodec.of(schema);
    try (SnapshotWriter writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(schema).build())) {
      byte[] key = codec.encodeKey(new BigDecimal("12345678901234567.89"), "1.50");
      writer.add(key, codec.encodeValue());
      writer.publish();
    }

    CommandRun get = CommandRun.of("get", "-t", table, "--", "[12345678901234567.89, 1.50]");

    assertThat(get.status()).as(get.err()).isZero();
    CommandRun trailing = CommandRun.of("get", "-t", table, "--", "[1, \"a\"] 2");
    assertThat(trailing.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(trailing.err()).contains("not a JSON array: more follows it");
  }

  private void write(WriterOptions options, String key, byte[] value) throws IOException {
    Records.empty().add(key.getBytes(StandardCharsets.UTF_8), value).publish(table, options);
  }
}
