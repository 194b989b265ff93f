package io.bsdb.table.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValidityTest {
  private static final String FILE = "t/snapshots/0000000002-0a1b2c3d/manifest.json";
  private static final Instant HORIZON = Instant.parse("2026-10-21T08:30:00.120Z");
  private static final Schema PRICES = prices("TIMESTAMP_LTZ(3)", KeyEncoding.ORDERED);

  private static Schema prices(String time, KeyEncoding encoding) {
    return Schema.builder()
        .column("item", "STRING")
        .column("price", "INT")
        .column("changed_at", time)
        .primaryKey("item", "changed_at")
        .keyEncoding(encoding)
        .build();
  }

  private static Manifest manifest(
      @Nullable Schema schema, Bound bound, @Nullable Validity validity) {
    return new Manifest(
        new Manifest.Identity(
            UUID.fromString("0a1b2c3d-1111-2222-3333-444455556666"),
            "0000000002-0a1b2c3d",
            null,
            Instant.parse("2026-11-20T08:30:00Z")),
        schema,
        Map.of(),
        List.of(
            new PartitionFile(
                "part-00000.bsdb",
                new UUID(0, 1),
                10,
                0,
                0,
                0,
                0,
                new PartitionFile.Place(0, null, 0, bound))),
        Map.of(),
        Map.of(),
        Changes.NONE,
        validity);
  }

  private static Manifest manifest(@Nullable Validity validity) {
    return manifest(PRICES, Bound.FIRST, validity);
  }

  @Test
  void isReadAsItWasWritten() throws Exception {
    for (Validity validity :
        List.of(
            Validity.FOREVER,
            new Validity(Duration.ofDays(30), null),
            new Validity(Duration.ofMillis(1500), HORIZON),
            new Validity(null, HORIZON))) {
      Manifest written = manifest(validity);
      assertThat(Manifest.decode(written.encode(), FILE)).isEqualTo(written);
      assertThat(Validity.parse(validity.toString())).isEqualTo(validity);
      assertThat(written.order()).isEqualTo(RecordOrder.KEY);
    }
    assertThat(text(manifest(new Validity(Duration.ofDays(30), HORIZON))))
        .contains(
            "\"formatVersion\" : 2",
            "\"order\" : \"history\"",
            "\"retention\" : \"PT720H\"",
            "\"horizon\" : \"2026-10-21T08:30:00.120Z\"");
    assertThat(text(manifest(Validity.FOREVER))).doesNotContain("retention", "horizon");
    assertThat(Manifest.decode(manifest((Validity) null).encode(), FILE).validity()).isNull();
  }

  @Test
  void staysWithPartitionsAndChanges() {
    Manifest manifest = manifest(new Validity(Duration.ofDays(1), HORIZON));
    assertThat(manifest.with(manifest.partitions(), Map.of(), Changes.NONE).validity())
        .isEqualTo(manifest.validity());
  }

  @Test
  void needsASchemaWithATimeInTheLastColumnOfTheKey() {
    String expected = "a table with a history needs a primary key of two columns or more";
    Schema single =
        Schema.builder()
            .column("changed_at", "TIMESTAMP(3)")
            .primaryKey("changed_at")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    for (@Nullable Schema schema :
        new @Nullable Schema[] {
          null,
          single,
          prices("TIMESTAMP_LTZ(3)", KeyEncoding.PLAIN),
          prices("BIGINT", KeyEncoding.ORDERED)
        }) {
      assertThatThrownBy(() -> manifest(schema, Bound.FIRST, Validity.FOREVER))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(expected);
    }
    assertThatThrownBy(() -> manifest(PRICES, Bound.NONE, Validity.FOREVER))
        .hasMessage("a table with a history is not in key order");
    for (String time : List.of("TIMESTAMP(0)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(6)")) {
      Validity.requireSchema(prices(time, KeyEncoding.ORDERED));
    }
  }

  @Test
  void isRefusedInAManifestWithoutIt() {
    Manifest history = manifest(Validity.FOREVER);
    assertThatThrownBy(
            () -> Manifest.decode(edited(history, "TIMESTAMP_LTZ(3) NOT", "BIGINT NOT"), FILE))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("a table with a history needs");
    assertThatThrownBy(() -> Manifest.decode(edited(history, "\"history\"", "\"future\""), FILE))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("order='future'");
    assertThatThrownBy(
            () ->
                Manifest.decode(
                    edited(history, "\"formatVersion\" : 2", "\"formatVersion\" : 1"), FILE))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("what only version 2 has");
  }

  @ParameterizedTest
  @ValueSource(strings = {"30 d", "", "PT0S", "PT-1H", "P1Y", "PT8760001H"})
  void refusesOtherRetentions(String retention) {
    Manifest manifest = manifest(new Validity(Duration.ofDays(30), HORIZON));
    assertThatThrownBy(() -> Manifest.decode(edited(manifest, "PT720H", retention), FILE))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("file=" + FILE);
    assertThatThrownBy(() -> Validity.parse(retention))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "2026-10-21", "2026-13-21T08:30:00Z", "2026-10-21T08:30:00.1201Z"})
  void refusesOtherHorizons(String horizon) {
    Manifest manifest = manifest(new Validity(Duration.ofDays(30), HORIZON));
    assertThatThrownBy(() -> Manifest.decode(edited(manifest, HORIZON.toString(), horizon), FILE))
        .isInstanceOf(CorruptSnapshotException.class);
  }

  @Test
  void horizonNeverGoesBack() {
    Instant now = Instant.parse("2026-11-20T08:30:00.1239Z");
    Validity first = new Validity(Duration.ofDays(30), null).at(now);
    assertThat(first.horizon()).isEqualTo(Instant.parse("2026-10-21T08:30:00.123Z"));
    assertThat(first.at(now.minusSeconds(1))).isEqualTo(first);
    assertThat(first.at(now.plusSeconds(1)).horizon())
        .isEqualTo(Instant.parse("2026-10-21T08:30:01.123Z"));
    assertThat(Validity.FOREVER.at(now)).isEqualTo(Validity.FOREVER);
  }

  @Test
  void everythingIsKeptFromTheHorizonOn() {
    Validity validity = new Validity(Duration.ofDays(30), HORIZON);
    validity.requireKept(HORIZON);
    validity.requireKept(HORIZON.plusNanos(1));
    assertThatThrownBy(() -> validity.requireKept(HORIZON.minusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "rows that were valid at 2026-10-21T08:30:00.119999999Z may have been dropped: the"
                + " horizon of the history is 2026-10-21T08:30:00.120Z, and its retention 30d;")
        .hasMessageContaining("ask for the horizon or a later time");
    Validity.FOREVER.requireKept(Instant.MIN);
    new Validity(Duration.ofDays(30), null).requireKept(Instant.MIN); // nothing dropped yet
  }

  @Test
  void durationsReadAsTheyAreGiven() {
    assertThat(Validity.text(Duration.ofDays(30))).isEqualTo("30d");
    assertThat(Validity.text(Duration.ofHours(36))).isEqualTo("36h");
    assertThat(Validity.text(Duration.ofMillis(5_400_001))).isEqualTo("1h30m0.001s");
    assertThat(Validity.text(Duration.ZERO)).isEqualTo("0s");
  }

  private static String text(Manifest manifest) {
    return new String(manifest.encode(), StandardCharsets.UTF_8);
  }

  /** The manifest with its text changed and its checksum right again. */
  private static byte[] edited(Manifest manifest, String old, String replacement) {
    assertThat(text(manifest)).contains(old);
    String changed = text(manifest).replace(old, replacement);
    String covered = changed.substring(0, changed.lastIndexOf("\"checksum\""));
    CRC32C crc = new CRC32C();
    crc.update(covered.getBytes(StandardCharsets.UTF_8));
    return (covered + "\"checksum\" : \"" + SnapshotFormat.hex((int) crc.getValue()) + "\"\n}\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
