package io.bsdb.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.hash.DuplicateHashException;
import io.bsdb.format.hash.PerfectHashBuilder;
import io.bsdb.writer.intake.SpillFiles;
import io.bsdb.writer.options.Duplicates;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PartitionRecordsTest {
  @TempDir Path directory;

  private PartitionRecords records(int count) throws IOException {
    PartitionRecords records = new PartitionRecords();
    try (SpillFiles spill = new SpillFiles(directory, "s", 1, 1 << 16)) {
      for (int i = 0; i < count; i++) {
        spill.add(0, new byte[] {(byte) i, 1}, 0, 2, new byte[i], 0, i);
      }
      records.load(spill, 0, 1);
    }
    return records;
  }

  /** Nobody can make two such keys, so the hashes are set. */
  private static void giveOneHash(PartitionRecords records, int from, int to) {
    records.high()[to] = records.high()[from];
    records.low()[to] = records.low()[from];
  }

  @ParameterizedTest
  @EnumSource(names = {"FIRST", "LAST"})
  void twoKeysWithOneHashAreNotTakenForDuplicates(Duplicates duplicates) throws Exception {
    PartitionRecords records = records(50);
    giveOneHash(records, 3, 17);
    assertThatThrownBy(() -> records.resolve(duplicates))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(DuplicateKeyException.class)
        .hasMessage(
            "two keys have the same 128-bit hash: hex 0301 and hex 1101; a table can hold only one"
                + " of them, remove the other");
  }

  @ParameterizedTest
  @EnumSource(PerfectHashConstruction.class)
  void twoKeysWithOneHashFailThePerfectHashAndAreNamed(PerfectHashConstruction kind)
      throws Exception {
    PartitionRecords records = records(50);
    giveOneHash(records, 3, 17);
    assertThatThrownBy(
            () -> {
              try {
                PerfectHashBuilder.build(
                    kind, directory, records.high(), records.low(), records.count());
              } catch (DuplicateHashException e) {
                throw records.duplicate(e);
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("two keys have the same 128-bit hash: hex 0301 and hex 1101");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void hashesThatShareOneWordAreTold() throws Exception {
    PartitionRecords records = records(50);
    records.high()[17] = records.high()[3];
    records.low()[18] = records.low()[4];
    records.resolve(Duplicates.LAST);
    assertThat(records.count()).isEqualTo(50);
  }

  @Test
  void measuresLengthsAndTotals() throws Exception {
    PartitionRecords records = records(10);
    records.measure();
    assertThat(records.keyLength()).isEqualTo(2);
    assertThat(records.valueLength()).isEqualTo(-1);
    assertThat(records.keyBytes()).isEqualTo(20);
    assertThat(records.valueBytes()).isEqualTo(45);
  }

  @Test
  void loadsLargerAndSmallerPartitionsOneAfterTheOther() throws Exception {
    PartitionRecords records = new PartitionRecords();
    for (int count : new int[] {3, 200, 0, 50}) {
      try (SpillFiles spill = new SpillFiles(directory, "s", 3, 64)) {
        for (int i = 0; i < count; i++) {
          spill.add(i % 3, new byte[] {(byte) i}, 0, 1, new byte[i], 0, i);
        }
        records.load(spill, 0, 3);
        records.measure();
      }
      assertThat(records.count()).isEqualTo(count);
      assertThat(records.keyBytes()).isEqualTo(count);
      assertThat(records.valueBytes()).isEqualTo((long) count * (count - 1) / 2);
    }
  }
}
