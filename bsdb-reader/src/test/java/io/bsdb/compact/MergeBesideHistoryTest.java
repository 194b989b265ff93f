package io.bsdb.compact;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.InService;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As the writers of a stream do: each has a range of hashes and segments of its own. */
class MergeBesideHistoryTest {
  @TempDir(factory = InMemory.class)
  private Path directory;

  private void put(List<String> keys, String value) throws IOException {
    Records.numbered(keys.size(), keys::get, i -> value).change(Table.at(directory));
  }

  private Compactor compactor() {
    return new Compactor(directory).keepHistory(Duration.ofDays(1));
  }

  /**
   * What is folded into other partitions than those of the merged segments concerns none of them.
   */
  @Test
  void foldedChangesOfOtherPartitionsAreNotMergedOnceMore() throws IOException {
    Records.numbered(300, i -> "k" + i, i -> "base")
        .publish(directory, WriterOptions.builder().partitions(4).build());
    Map<Integer, List<String>> keys =
        IntStream.range(0, 300)
            .mapToObj(i -> "k" + i)
            .collect(
                Collectors.groupingBy(
                    key -> {
                      try {
                        return InService.of(directory).partitioning().partition(bytes(key));
                      } catch (IOException e) {
                        throw new IllegalStateException(e);
                      }
                    }));
    for (int i = 0; i < 4; i++) {
      put(keys.get(3).subList(0, 2), "cold" + i); // few changes: never folded
      put(keys.get(0), "hot" + i); // many: folded again and again
    }
    compactor().foldFraction(0.5).maxSegments(1000).run();
    Changes folded = InService.of(directory).changes();
    assertThat(folded.segments()).hasSize(4);
    assertThat(folded.history().segments()).hasSize(4);
    long before = folded.segments().stream().mapToLong(SegmentFile::length).sum();

    compactor().foldFraction(Double.POSITIVE_INFINITY).maxSegments(1).run();
    Changes merged = InService.of(directory).changes();
    assertThat(merged.segments()).hasSize(1);
    assertThat(merged.count()).isEqualTo(2); // each of the two cold keys once
    assertThat(merged.length()).isLessThan(before);
  }
}
