package io.bsdb.reader.io;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectFileTest {
  @ParameterizedTest
  @ValueSource(longs = {512, 1024, 4096})
  void readsPagesOfFileSystemsWhoseBlocksAreNoLonger(long blockSize) {
    assertThatNoException().isThrownBy(() -> DirectFile.requireBlocksOfPages(blockSize));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 8192, 65536, 1 << 20})
  void readsThroughThePageCacheWhereTheyAre(long blockSize) {
    assertThatThrownBy(() -> DirectFile.requireBlocksOfPages(blockSize))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("blocks are of " + blockSize + " bytes");
  }
}
