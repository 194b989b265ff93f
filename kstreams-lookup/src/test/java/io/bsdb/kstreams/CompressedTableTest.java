package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.FileFooter;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compressed tables are built and read with whichever zstd-jni the release of Kafka brings. */
class CompressedTableTest {
  private static final int RECORDS = 20_000;

  @TempDir private Path table;

  private static String customer(int i) {
    return "{\"id\":\"c%d\",\"name\":\"Customer number %d\",\"orders\":%d}".formatted(i, i, i % 7);
  }

  private boolean isTrained(SnapshotLookup<?, ?> customers, PartitionFile file, Layout layout)
      throws IOException {
    Path path =
        table
            .resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY)
            .resolve(customers.manifest().version())
            .resolve(file.name());
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
    var checksum = new PartChecksum(file.fileId());
    return FileFooter.decode(content, content.limit(), checksum, file.name())
            .find(layout == Layout.SYMBOLS ? SectionKind.SYMBOLS : SectionKind.DICTIONARY)
        != null;
  }

  @ParameterizedTest
  @EnumSource(names = {"COMPRESSED", "COMPRESSED_PAGES", "SYMBOLS"})
  void buildsAndReads(Layout layout) throws Exception {
    var options = WriterOptions.builder().layout(layout).build();
    Records.numbered(RECORDS, i -> "c" + i, i -> customer(i)).publish(table, options);
    try (var customers =
            SnapshotLookup.<String, String>builder("customers")
                .table(table)
                .serdes(Serdes.String(), Serdes.String())
                .build();
        Joins joins =
            Joins.of(
                orders ->
                    customers.leftJoin(
                        orders, (key, order) -> order, (order, customer) -> customer))) {
      assertThat(customers.manifest().partitions())
          .as("a dictionary, or a table, is trained, and pays")
          .allSatisfy(file -> assertThat(isTrained(customers, file, layout)).isTrue());
      for (int i = 0; i < RECORDS; i++) {
        assertThat(joins.send("o", "c" + i)).containsExactly(customer(i));
      }
      assertThat(customers.get("c" + RECORDS)).isNull();
    }
  }
}
