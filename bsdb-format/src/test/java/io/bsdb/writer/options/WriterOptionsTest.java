package io.bsdb.writer.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class WriterOptionsTest {
  /** Each option has another value than its default in one or the other. */
  private static final WriterOptions ORDERED =
      WriterOptions.builder().history(Duration.ofDays(30)).pointIndex(false).build();

  private static final WriterOptions APPROXIMATE =
      WriterOptions.builder()
          .layout(Layout.COMPRESSED_PAGES)
          .approximate()
          .perfectHash(PerfectHashConstruction.PILOT_DENSE)
          .signatureBits(12)
          .blockSize(8192)
          .frameSize(512)
          .zstdLevel(7)
          .dictionaryBytes(1000)
          .partitions(9)
          .threads(3)
          .memoryBytes(1L << 33)
          .temporaryDirectory(Path.of("/tmp/spill"))
          .duplicates(Duplicates.LAST)
          .minRows(5)
          .maxShrinkage(0.1)
          .properties(Map.of("a.b", "1", "c", "x=y"))
          .sourcePositions(Map.of("orders-0", "4711"))
          .build();

  @Test
  void everyOptionTravelsAsText() throws ReflectiveOperationException {
    for (RecordComponent option : WriterOptions.class.getRecordComponents()) {
      String name = option.getName();
      if (!name.equals("schema")) {
        Object byDefault = option.getAccessor().invoke(WriterOptions.defaults());
        assertThat(List.of(ORDERED, APPROXIMATE))
            .as("%s in toMap and set, and with another value than its default here", name)
            .map(options -> WriterOptions.parse(options.toMap()))
            .extracting(name)
            .anyMatch(value -> !Objects.equals(value, byDefault));
      }
    }
  }

  @Test
  void travelAsText() {
    WriterOptions options = APPROXIMATE;
    assertThat(WriterOptions.parse(options.toMap())).isEqualTo(options);
    assertThat(options.toMap())
        .containsEntry("layout", "compressed-pages")
        .containsEntry("keys", "omitted")
        .containsEntry("perfect-hash", "pilot-dense")
        .containsEntry("property.a.b", "1");
    assertThat(WriterOptions.parse(WriterOptions.defaults().toMap()))
        .isEqualTo(WriterOptions.defaults());
    assertThat(WriterOptions.parse(Map.of())).isEqualTo(WriterOptions.defaults());
    assertThat(options.toBuilder().build()).isEqualTo(options);
    assertThat(options.toBuilder().set("keys", "stored").build().keyStorage())
        .isEqualTo(KeyStorage.STORED);
  }

  @Test
  void areReadFromTheirDescription() {
    WriterOptions options =
        WriterOptions.builder()
            .order(RecordOrder.KEY)
            .pointIndex(false)
            .layout(Layout.COMPRESSED)
            .perfectHash(PerfectHashConstruction.PILOT_DENSE)
            .blockSize(8192)
            .frameSize(512)
            .zstdLevel(7)
            .dictionaryBytes(1000)
            .build();
    Map<String, String> described = WriterOptions.described(options.description());

    assertThat(described).hasSameSizeAs(options.description());
    described.put("order", "key");
    assertThat(WriterOptions.parse(described)).isEqualTo(options);
  }

  private static void assertRefused(String name, String value, String message) {
    assertThatThrownBy(() -> WriterOptions.parse(Map.of(name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("option of a build '%s'='%s': %s".formatted(name, value, message));
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    assertRefused(
        "blocksize", "4096", "there is no such option; there are temp, history, property.NAME,");
    assertRefused(
        "layout", "flat", "expected one of blocked, compact, compressed, compressed-pages");
    assertRefused("duplicates", "some", "expected one of fail, first, last");
    assertRefused("block-size", "4k", "expected a number");
    assertRefused("block-size", "17", "block size out of range: expected 512 to 65536, actual 17");
    assertRefused(
        "block-size",
        "5368709120",
        "block size out of range: expected 512 to 65536, actual 5368709120");
    assertRefused(
        "max-shrinkage", "2", "maximum shrinkage out of range: expected 0 to 1, actual 2.0");
  }

  @Test
  void keyOrderNeedsPlainKeys() {
    WriterOptions.Builder builder =
        WriterOptions.builder().order(RecordOrder.KEY).layout(Layout.SYMBOLS);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "order 'key' needs plain keys, which layout 'symbols' encodes: take one of blocked, compact, compressed, compressed-pages");
  }

  private static final Schema PRICES =
      Schema.builder()
          .column("item", "STRING")
          .column("changed_at", "TIMESTAMP(3)")
          .primaryKey("item", "changed_at")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  @Test
  void historyImpliesKeyOrderAndTravels() {
    WriterOptions options =
        WriterOptions.builder().history(Duration.ofDays(30)).schema(PRICES).build();
    assertThat(options.order()).isEqualTo(RecordOrder.KEY);
    assertThat(options.toBuilder().build()).isEqualTo(options);
    assertThat(WriterOptions.parse(options.toMap()).validity()).isEqualTo(options.validity());
    assertThat(options.toMap()).containsEntry("history", "30d");
    assertThat(WriterOptions.parse(Map.of("history", "PT720H")).validity())
        .isEqualTo(options.validity());
    assertThat(WriterOptions.parse(Map.of("history", "forever")).validity())
        .isEqualTo(Validity.FOREVER);
    Validity old = new Validity(Duration.ofDays(30), Instant.parse("2026-01-02T03:04:05Z"));
    assertThat(WriterOptions.parse(Map.of("history", old.toString())).validity()).isEqualTo(old);
  }

  @Test
  void refusesHistoriesThatCannotBe() {
    assertRefused("history", "30 d", "expected 'forever' or how long replaced rows are kept");
    assertThatThrownBy(() -> WriterOptions.builder().history(null).order(RecordOrder.HASH).build())
        .hasMessageStartingWith("a table with a history is in the order of its keys");
    assertThatThrownBy(
            () ->
                WriterOptions.builder()
                    .history(null)
                    .schema(PRICES.withKeyEncoding(KeyEncoding.PLAIN))
                    .build())
        .hasMessageStartingWith("a table with a history needs a primary key of two columns");
  }
}
