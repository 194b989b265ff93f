package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.reader.options.Verification;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.reload.Publish;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Random records of a table, and ways to write and to read them. */
final class TableModelRecords {
  private static final int LONG_VALUE = 1 << 20;
  private static final RowCodec CODEC =
      RowCodec.of(
          Schema.builder()
              .column("item", "STRING")
              .column("since", "TIMESTAMP_LTZ(3)")
              .column("text", "STRING")
              .column("number", "BIGINT")
              .primaryKey("item", "since")
              .keyEncoding(KeyEncoding.ORDERED)
              .build());

  /** The kind of records in a table. */
  enum Kind {
    BYTES,
    ROWS,
    HISTORY
  }

  private final Random random;
  private final Kind kind;
  private final int keys;

  /** Of readers that have a limit. */
  private final MemoryBudget memory = MemoryBudget.of(256 << 20, Duration.ofMillis(1));

  TableModelRecords(Random random) {
    this.random = random;
    this.kind = any(Kind.values());
    this.keys = 1 + random.nextInt(random.nextBoolean() ? 20 : 400);
  }

  Kind kind() {
    return kind;
  }

  /** Returns the number of keys. */
  int keys() {
    return keys;
  }

  /** Returns any way to read. */
  ReaderOptions reading() {
    ReaderOptions.Builder options =
        ReaderOptions.builder()
            .access(any(Access.values()))
            .verification(any(Verification.values()))
            .warmUp(any(WarmUp.values()))
            .signatures(any(SignatureUse.values()))
            .queueDepth(1 + random.nextInt(8))
            .blockCacheBytes(random.nextBoolean() ? 0 : 1L << random.nextInt(20));
    return (random.nextInt(3) == 0 ? options.memory(memory) : options).build();
  }

  private <T> T any(T[] values) {
    return values[random.nextInt(values.length)];
  }

  String key() {
    return key(random.nextInt(keys));
  }

  /** Returns a key whose bytes are the characters. */
  String key(int number) {
    return kind == Kind.BYTES
        ? String.format(Locale.ROOT, "k%04d", number)
        : new String(
            CODEC.encodeKey("k" + number / 8, Instant.ofEpochMilli(number % 8 * 1000L - 4000)),
            ISO_8859_1);
  }

  byte[] value() {
    if (kind == Kind.HISTORY && random.nextInt(4) == 0) {
      return RowWriter.ended();
    }
    int length = random.nextInt(300) == 0 ? random.nextInt(LONG_VALUE + 1) : random.nextInt(60);
    if (kind != Kind.BYTES) {
      String text = "abcdefgh".repeat(1 + length / 8).substring(random.nextInt(8));
      return CODEC.encodeValue(random.nextInt(5) == 0 ? null : text, random.nextLong());
    }
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) random.nextInt());
    byte[] mark = Integer.toString(random.nextInt(), 36).getBytes(ISO_8859_1);
    System.arraycopy(mark, 0, value, 0, Math.min(mark.length, length));
    return value;
  }

  WriterOptions options() {
    WriterOptions.Builder options = WriterOptions.builder();
    if (kind != Kind.BYTES) {
      options.schema(CODEC.schema());
    }
    List<Layout> layouts = List.of(Layout.values());
    if (kind == Kind.HISTORY) {
      options.history(null);
    }
    if (kind == Kind.HISTORY || random.nextBoolean()) {
      layouts = layouts.stream().filter(layout -> layout != Layout.SYMBOLS).toList();
      options.order(RecordOrder.KEY).pointIndex(random.nextInt(3) > 0);
    }
    Layout layout = layouts.get(random.nextInt(layouts.size()));
    PerfectHashConstruction[] hashes = PerfectHashConstruction.values();
    return options
        .layout(layout)
        .blockSize(random.nextBoolean() ? 4096 : random.nextInt(2) == 0 ? 65_536 : 5000)
        .frameSize(random.nextBoolean() ? 256 : 4096)
        .dictionaryBytes(random.nextBoolean() ? 0 : 1 << 16)
        .signatureBits(random.nextBoolean() ? 8 : random.nextInt(33))
        .perfectHash(hashes[random.nextInt(hashes.length)])
        .partitions(random.nextInt(5))
        .minRows(0)
        .build();
  }

  /** Rows of a history cannot be compared. */
  Publish publish() {
    List<Publish> all = List.of(Publish.values());
    Publish publish = all.get(random.nextInt(all.size()));
    return kind == Kind.HISTORY && publish == Publish.CHANGES ? Publish.AUTO : publish;
  }
}
