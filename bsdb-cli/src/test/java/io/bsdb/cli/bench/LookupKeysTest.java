package io.bsdb.cli.bench;

import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.CommandRun;
import io.bsdb.cli.output.Console;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of a table to measure with. */
class LookupKeysTest {
  private static final int RECORDS = 20_000;

  @TempDir private Path directory;

  private Path table() throws IOException {
    Path table = directory.resolve("table");
    Records.numbered(RECORDS, i -> "key " + i, i -> "value " + i + "x".repeat(100))
        .publish(table, WriterOptions.builder().partitions(3).build());
    return table;
  }

  static Console console() {
    PrintStream messages =
        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
    return new Console(
        InputStream.nullInputStream(), OutputStream.nullOutputStream(), messages, false);
  }

  private static SnapshotReader open(Path table) throws IOException {
    return SnapshotReader.open(table, ReaderOptions.builder().access(Access.DIRECT).build());
  }

  @Test
  void readsNotMoreBlocksThanKeysOfALargeTable() throws IOException {
    try (SnapshotReader reader = open(table())) {
      LookupKeys keys = LookupKeys.ofTable(reader, 10, 200, console());

      assertThat(reader.metrics().blockReads()).isBetween(150L, 230L);
      assertThat(keys.size()).isEqualTo(200);
      Set<String> present = new HashSet<>();
      for (int i = 0; i < keys.size(); i++) {
        byte[] value = reader.get(keys.key(i));
        keys.check(i, value, true);
        if (value != null) {
          present.add(text(keys.key(i)));
        }
      }
      assertThat(present).hasSizeBetween(150, 180);
    }
  }

  @Test
  void drawsFromAllPartitions() throws IOException {
    try (SnapshotReader reader = open(table())) {
      LookupKeys keys = LookupKeys.ofTable(reader, 0, 1000, console());
      Set<Integer> partitions = new HashSet<>();
      for (int i = 0; i < keys.size(); i++) {
        partitions.add(reader.place(keys.key(i)).partition());
      }
      assertThat(partitions).containsExactlyInAnyOrder(0, 1, 2);
    }
  }

  @Test
  void leavesChangedRecordsOut() throws IOException {
    Path table = table();
    for (int i = 0; i < 20; i++) {
      assertThat(CommandRun.of("delete", "-t", table, "--", "key " + i).status()).isZero();
    }
    try (SnapshotReader reader = open(table)) {
      LookupKeys keys = LookupKeys.ofTable(reader, 0, 4000, console());
      assertThat(keys.size()).isBetween(3900, 4000);
      for (int i = 0; i < keys.size(); i++) {
        keys.check(i, reader.get(keys.key(i)), true);
      }
    }
  }
}
