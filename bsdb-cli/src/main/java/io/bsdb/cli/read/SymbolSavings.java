package io.bsdb.cli.read;

import io.bsdb.cli.table.SnapshotDirectory;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.FileFooter;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.format.symbols.SymbolTable;
import io.bsdb.row.RowLayout;
import io.bsdb.row.Schema;
import io.bsdb.table.SnapshotParts;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Savings of each string's symbol table, as its writer measured them in a trial.
 *
 * @param file that the tables are from; all files of one build have the same
 * @param strings the keys, and what values consist of
 */
record SymbolSavings(String file, List<Saving> strings) {
  /**
   * One string.
   *
   * @param table null if it is stored as it is
   */
  record Saving(String string, @Nullable SymbolTable table) {}

  /** Reads the tables of the first file that has some; null if none has. */
  static @Nullable SymbolSavings of(Path snapshot, Manifest manifest) throws IOException {
    for (PartitionFile file : manifest.partitions()) {
      Path path = SnapshotDirectory.file(snapshot, file);
      PartChecksum checksum = new PartChecksum(file.fileId());
      FileFooter footer = SnapshotParts.footer(path, checksum);
      Section section = footer.find(SectionKind.SYMBOLS);
      if (section != null) {
        return new SymbolSavings(
            file.name(), savings(symbols(path, section, checksum), manifest.schema()));
      }
    }
    return null;
  }

  private static RecordSymbols symbols(Path path, Section section, PartChecksum checksum)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) section.length());
    try (FileChannel channel = FileChannel.open(path)) {
      while (bytes.hasRemaining()
          && channel.read(bytes, section.offset() + bytes.position()) >= 0) {}
    }
    bytes.flip();
    if (checksum.of(section.kind(), section.offset(), bytes, 0, bytes.limit())
        != section.checksum()) {
      throw new CorruptSnapshotException(
          "section checksum mismatch: file=%s section=SYMBOLS offset=%d; run verify"
              .formatted(path, section.offset()));
    }
    return RecordSymbols.decode(bytes, path.toString(), section.offset());
  }

  private static List<Saving> savings(RecordSymbols symbols, @Nullable Schema schema) {
    List<Saving> savings = new ArrayList<>();
    savings.add(new Saving("key", symbols.keys()));
    List<String> names =
        schema == null ? List.of("value") : RowLayout.ofValues(schema).stringNames();
    List<@Nullable SymbolTable> values = symbols.values();
    for (int i = 0; i < Math.min(names.size(), values.size()); i++) {
      savings.add(new Saving(names.get(i), values.get(i)));
    }
    return savings;
  }
}
