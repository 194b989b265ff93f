package io.bsdb.table.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BoundTest {
  @Test
  void comparesKeysAsUnsignedBytes() {
    Bound low = Bound.of(new byte[] {1});
    Bound high = Bound.of(new byte[] {(byte) 0x80});
    assertThat(Bound.FIRST).isLessThan(low);
    assertThat(low).isLessThan(high).isEqualTo(Bound.of(new byte[] {1})).isNotEqualTo(high);
    assertThat(Bound.of(new byte[0])).isEqualTo(Bound.FIRST).isNotEqualTo(Bound.NONE);
  }

  @Test
  void readsWhatItWrote() {
    Bound bound = Bound.of(new byte[] {1, -1, 3});
    assertThat(Bound.parse(bound.toString())).isEqualTo(bound);
    assertThat(Bound.parse("")).isEqualTo(Bound.FIRST);
    for (String text : new String[] {"AQ", "AR==", "%", "A".repeat(1 << 20)}) {
      assertThatThrownBy(() -> Bound.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void hasNoKeyInHashOrder() {
    assertThat(Bound.NONE.isKey()).isFalse();
    assertThatThrownBy(Bound.NONE::key)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a partition of hashes has no least key");
  }
}
