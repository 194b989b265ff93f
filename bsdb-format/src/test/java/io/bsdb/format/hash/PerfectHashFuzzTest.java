package io.bsdb.format.hash;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PerfectHashConstruction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the bytes of a section are: ranks are in range, or the section is refused. */
class PerfectHashFuzzTest {
  private static final HashedKeys PROBES = HashedKeys.random(64, 7);

  static List<byte[]> sections() throws Exception {
    Path directory = Files.createTempDirectory("bsdb-fuzz-");
    try {
      List<byte[]> sections = new ArrayList<>();
      for (PerfectHashConstruction construction : PerfectHashConstruction.values()) {
        for (int size : new int[] {0, 1, 3, 100, 2000}) {
          HashedKeys keys = HashedKeys.random(size, size);
          sections.add(
              PerfectHashBuilder.build(construction, directory, keys.high(), keys.low(), size));
        }
      }
      return sections;
    } finally {
      Files.delete(directory);
    }
  }

  @MethodSource("sections")
  @FuzzTest(maxDuration = "3m")
  void section(byte[] bytes) throws IOException {
    PerfectHash hash;
    try {
      hash = PerfectHash.open(ByteBuffer.wrap(bytes));
    } catch (CorruptSnapshotException e) {
      assertThat(e).hasMessageContaining("perfect hash");
      return;
    }
    if (hash.size() == 0) {
      return;
    }
    int[] ranks = new int[PROBES.size()];
    hash.ranks(PROBES.high(), PROBES.low(), PROBES.size(), ranks);
    for (int i = 0; i < PROBES.size(); i++) {
      int rank = hash.rank(PROBES.high()[i], PROBES.low()[i]);
      if (rank < 0 || rank >= hash.size() || rank != ranks[i]) {
        throw new AssertionError(
            "rank %d alone, %d among others, of %d".formatted(rank, ranks[i], hash.size()));
      }
    }
  }
}
