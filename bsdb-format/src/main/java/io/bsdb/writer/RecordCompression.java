package io.bsdb.writer;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.format.symbols.SymbolTrainer;
import io.bsdb.format.symbols.ValueShape;
import io.bsdb.row.RowLayout;
import io.bsdb.row.Schema;
import io.bsdb.writer.options.WriterOptions;
import org.jspecify.annotations.Nullable;

/**
 * The symbol tables of one build, trained on the first partition that comes by: a partition is a
 * random sample of all records. Each file repeats them and stays complete in itself. Safe for many
 * threads.
 */
final class RecordCompression {
  /** Sampled bytes of records, at most, unless a single one is longer. */
  private static final long SAMPLE_BYTES = 8 << 20;

  /** Longer values are not sampled: they are stored as they are. */
  private static final int LONGEST_SAMPLED = 1 << 20;

  private final WriterOptions options;
  private boolean trained;
  private @Nullable RecordSymbols symbols;

  RecordCompression(WriterOptions options) {
    this.options = options;
  }

  /** Returns the tables; null if none saves anything. The first call trains them. */
  synchronized @Nullable RecordSymbols symbols(PartitionRecords records) {
    if (!trained && records.count() > 0) {
      symbols = train(records);
      trained = true;
    }
    return symbols;
  }

  private @Nullable RecordSymbols train(PartitionRecords records) {
    Schema schema = options.schema();
    boolean keys = options.keyStorage() == KeyStorage.STORED && (schema == null || hasText(schema));
    ValueShape shape = schema == null ? ValueShape.string() : RowLayout.ofValues(schema).shape();
    SymbolTrainer trainer = new SymbolTrainer(shape, keys);
    long all = records.keyBytes() + records.valueBytes();
    int sampled =
        (int)
            Math.max(1, Math.min(records.count(), records.count() * (SAMPLE_BYTES / (all + 1.0))));
    double step = (double) records.count() / sampled;
    long bytes = 0;
    for (int i = 0; i < sampled; i++) {
      int start = records.start((int) (i * step));
      int key = records.keyOffset(start);
      int keyLength = records.keyLength(start);
      int valueLength = records.valueLength(start);
      if (valueLength <= LONGEST_SAMPLED) {
        trainer.add(records.data(start), key, keyLength, key + keyLength, valueLength);
        bytes += keyLength + valueLength;
      }
    }
    return bytes == 0 ? null : trainer.train((double) all / bytes);
  }

  private static boolean hasText(Schema schema) {
    return schema.keyColumns().stream()
        .anyMatch(
            column ->
                switch (column.type().kind()) {
                  case CHAR, VARCHAR, BINARY, VARBINARY -> true;
                  default -> false;
                });
  }
}
