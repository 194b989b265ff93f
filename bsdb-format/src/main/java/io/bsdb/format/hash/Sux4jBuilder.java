package io.bsdb.format.hash;

import it.unimi.dsi.bits.BitVector;
import it.unimi.dsi.bits.LongArrayBitVector;
import it.unimi.dsi.bits.TransformationStrategies;
import it.unimi.dsi.sux4j.io.BucketedHashStore;
import it.unimi.dsi.sux4j.mph.GOVMinimalPerfectHashFunction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Builds sections of the sux4j kind. The one class that needs Sux4J. */
record Sux4jBuilder(Path temporaryDirectory) {
  byte[] build(long[] high, long[] low, int size) throws DuplicateHashException, IOException {
    // Sux4J would notice duplicates too, but neither say which nor end its threads.
    HashParts.group(high, low, size, 0).rejectDuplicates();
    Path directory = Files.createTempDirectory(temporaryDirectory, "perfect-hash-");
    try (AutoDelete files = new AutoDelete(directory);
        BucketedHashStore<BitVector> store =
            new BucketedHashStore<>(TransformationStrategies.identity(), directory.toFile())) {
      long[] words = new long[2];
      LongArrayBitVector hash = LongArrayBitVector.wrap(words, 128);
      for (int i = 0; i < size; i++) {
        words[0] = high[i];
        words[1] = low[i];
        store.add(hash);
      }
      return new Function(store).section();
    }
  }

  private record AutoDelete(Path directory) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
      Files.delete(directory);
    }
  }

  /** Sux4J's function, for the fields that it has for subclasses. */
  @SuppressWarnings("serial") // never serialized
  private static final class Function extends GOVMinimalPerfectHashFunction<BitVector> {
    Function(BucketedHashStore<BitVector> store) throws IOException {
      super(null, TransformationStrategies.identity(), 0, null, store);
    }

    byte[] section() {
      int size = Math.toIntExact(n);
      int groupCount = edgeOffsetAndSeed.length - 1;
      int valuesOffset = Sux4jPerfectHash.valuesOffset(groupCount);
      int words = Sux4jPerfectHash.valueWords(size);
      byte[] section =
          PerfectHashSection.create(PerfectHashKind.SUX4J, size, valuesOffset + words * Long.BYTES);
      ByteBuffer fields = PerfectHashSection.littleEndian(section);
      fields.putLong(Sux4jPerfectHash.SEED_OFFSET, globalSeed);
      fields.putInt(Sux4jPerfectHash.GROUP_COUNT_OFFSET, groupCount);
      fields.position(Sux4jPerfectHash.DIRECTORY_OFFSET);
      for (long entry : edgeOffsetAndSeed) {
        fields.putLong(entry);
      }
      for (int i = 0; i < words; i++) {
        fields.putLong(array[i]);
      }
      return section;
    }
  }
}
