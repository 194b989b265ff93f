package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChangedKeysTest {
  @Test
  void allKeysAreNewToAnEmptyTable() {
    assertThat(ChangedKeys.NONE.next(3, 0, 1_000).newKeys()).isEqualTo(1_000);
  }

  @Test
  void aFoldShowsWhichPartOfTheChangedKeysIsNew() {
    ChangedKeys counted = ChangedKeys.NONE.next(3, 2_000, 1_000);
    assertThat(counted.newKeys()).isZero();
    counted = counted.next(3, 2_025, 750);
    assertThat(counted.newKeys()).isEqualTo(75);
    counted = counted.next(4, 2_025, 950); // a publication
    assertThat(counted.newKeys()).isEqualTo(95);
    counted = counted.next(4, 2_000, 700);
    assertThat(counted.newKeys()).as("of deletions").isZero();
  }

  /** A fold may be counted before a publication that ended earlier. */
  @Test
  void aFoldThatIsCountedTogetherWithAPublicationShowsNothing() {
    ChangedKeys counted = ChangedKeys.NONE.next(3, 2_000, 1_000).next(3, 2_025, 750);
    counted = counted.next(4, 2_050, 700); // 250 folded, 200 published
    assertThat(counted.newKeys()).isEqualTo(70);
  }
}
