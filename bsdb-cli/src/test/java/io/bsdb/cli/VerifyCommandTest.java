package io.bsdb.cli;

import static io.bsdb.testkit.Utf8.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.read.VerifyCommand;
import io.bsdb.cli.table.SnapshotDirectory;
import io.bsdb.format.io.IOSupplier;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifyCommandTest {
  @TempDir private Path table;

  @Test
  void findsASnapshotSound() throws IOException {
    write(WriterOptions.defaults());

    CommandRun verify = CommandRun.of("verify", "--table", table);

    assertThat(verify.err()).contains("is sound: 1,000 records");
    assertThat(verify.status()).isZero();
    assertThat(CommandRun.of("verify", "--table", SnapshotDirectory.of(table)).status()).isZero();
  }

  @Test
  void namesFileAndOffsetOfDamage() throws IOException {
    write(WriterOptions.defaults());
    Path file = SnapshotDirectory.of(table).resolve("part-00000.bsdb");
    byte[] bytes = Files.readAllBytes(file);
    bytes[5000] ^= 1;
    Files.write(file, bytes);

    CommandRun verify = CommandRun.of("verify", "--table", table);

    assertThat(verify.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(verify.err())
        .startsWith("bsdb: ")
        .contains("mismatch")
        .contains("part-00000.bsdb")
        .contains("offset=")
        .hasLineCount(1);
  }

  @Test
  void findsEveryDamagedByte() throws IOException {
    write(WriterOptions.builder().partitions(1).build());
    Path file = SnapshotDirectory.of(table).resolve("part-00000.bsdb");
    byte[] bytes = Files.readAllBytes(file);
    for (int i = 0; i < bytes.length; i += 997) {
      bytes[i] ^= 0x10;
      Files.write(file, bytes);
      assertThat(CommandRun.of("verify", "--table", table).status())
          .as("byte %d", i)
          .isEqualTo(ExitStatus.UNREADABLE);
      bytes[i] ^= 0x10;
    }
  }

  @Test
  void findsATruncatedFile() throws IOException {
    write(WriterOptions.defaults());
    Path file = SnapshotDirectory.of(table).resolve("part-00000.bsdb");
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));

    CommandRun verify = CommandRun.of("verify", "--table", table);

    assertThat(verify.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(verify.err()).contains("part-00000.bsdb");
  }

  @Test
  void findsRowsThatDoNotFitTheSchema() throws IOException {
    Schema schema =
        Schema.builder()
            .column("k", "STRING")
            .column("v", "BIGINT NOT NULL")
            .primaryKey("k")
            .build();
    RowCodec codec = RowCodec.of(schema);
    try (SnapshotWriter writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(schema).build())) {
      writer.add(codec.encodeKey("good"), codec.encodeValue(1L));
      writer.add(codec.encodeKey("bad"), new byte[] {1});
      writer.publish();
    }

    CommandRun verify = CommandRun.of("verify", "--table", table);

    assertThat(verify.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(verify.err()).contains("row does not fit the schema").contains(".bsdb");
    for (CommandRun read :
        List.of(
            CommandRun.of("scan", "--table", table),
            CommandRun.of("get", "--table", table, "--", "bad"))) {
      assertThat(read.status()).isEqualTo(ExitStatus.UNREADABLE);
      assertThat(read.err())
          .startsWith("bsdb: row does not fit the schema: key=626164: row: ")
          .endsWith("; 'bsdb verify' names the file\n");
    }
  }

  @Test
  void verifiesApproximateSnapshots() throws IOException {
    write(WriterOptions.builder().approximate().build());

    assertThat(CommandRun.of("verify", "--table", table).status()).isZero();
  }

  @Test
  void verifiesToItsEndAVersionThatIsDeletedMeanwhile() throws IOException {
    Schema schema = Schema.builder().column("k", "STRING").primaryKey("k").build();
    RowCodec codec = RowCodec.of(schema);
    int[] published = new int[1];
    IOSupplier<String> publish =
        () -> {
          published[0]++;
          try (SnapshotWriter writer =
              SnapshotWriter.create(table, WriterOptions.builder().schema(schema).build())) {
            writer.add(codec.encodeKey("k"), codec.encodeValue());
            return writer.publish().version();
          }
        };
    String first = publish.get();
    OutputStream replacing =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            if (published[0] < 20) { // else it might never end
              publish.get();
              Table.at(table).prune(1);
            }
          }
        };
    Console console =
        new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            new PrintStream(replacing, true, UTF_8),
            true); // so that it shows how far it is

    assertThat(VerifyCommand.verify(table, console).version()).isEqualTo(first);
    assertThat(published[0]).isGreaterThan(1);
    assertThat(Table.at(table).versions()).doesNotContain(first);
  }

  private void write(WriterOptions options) throws IOException {
    Records.numbered(1000, i -> "key " + i, i -> "value " + i).publish(table, options);
  }
}
