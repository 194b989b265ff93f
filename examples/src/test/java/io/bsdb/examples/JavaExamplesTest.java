package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples in Java and compares what they print. */
class JavaExamplesTest {
  @TempDir private Path directory;

  private interface Example {
    void run(Path directory, PrintStream out) throws IOException;
  }

  private void assertPrints(Example example, String... lines) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    example.run(directory.resolve("table"), new PrintStream(out, true, StandardCharsets.UTF_8));
    assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("\n");
    assertThat(out.toString(StandardCharsets.UTF_8).lines()).containsExactly(lines);
  }

  @Test
  void findsTheCountriesOfAMillionAddresses() throws IOException {
    assertPrints(
        JavaAddresses::run,
        "addresses per country: {AT=84312, BR=84785, CH=84247, IN=85764, JP=83512, KE=84826, US=83623, none=408931}");
  }

  @Test
  void changesATableThatIsRead() throws IOException {
    assertPrints(
        JavaChanges::run,
        "rose: white",
        "violet: absent",
        "continue after {colours-0=4711}",
        "partitions folded: 1");
  }

  @Test
  void looksAroundInPlaces() throws IOException {
    assertPrints(
        (places, out) -> JavaCities.run(Path.of("data", "cities500.csv.gz"), places, out),
        "the largest below a million in CH: Zürich, 415367",
        "the largest below a million in JP: Chiba, 979768",
        "no place in XX",
        "1. Zürich: 415367",
        "2. Geneva: 201741",
        "3. Basel: 177595");
  }

  @Test
  void findsWhatWasValid() throws IOException {
    assertPrints(
        (prices, out) -> JavaHistory.run(prices, Instant.now(), out),
        "no bread, 25 days ago",
        "bread, 15 days ago: 3.20",
        "no bread, 7 days ago",
        "bread, 1 days ago: 3.50");
  }

  @Test
  void followsTheTable() throws IOException {
    assertPrints(JavaLookup::run, "rose: red", "unicorn: absent", "rose: white");
  }

  @Test
  void findsWhatIsNear() throws IOException {
    assertPrints(
        JavaOrdered::run,
        "198.51.100.7: AT",
        "200.1.2.3: in no block",
        "bread on 17 May: 3.50",
        "bread from 2026-07-01: 3.90",
        "bread from 2026-04-01: 3.50",
        "bread from 2026-01-01: 3.20",
        "41446681234: Zurich",
        "41791234567: Switzerland",
        "33123456789: unknown");
  }

  @Test
  void readsInAllWays() throws IOException {
    assertPrints(JavaReads::run, "red blue true 114", "red blue", "2 records", "red blue");
  }

  @Test
  void publishesOnlyWhatDiffers() throws IOException {
    assertPrints(JavaReload::run, "changed: 1, the same: 4", "rose: red");
  }

  @Test
  void readsColumnsByName() throws IOException {
    assertPrints(JavaRows::run, "Danube: 2850 km", "Rhine: 1230 km", "Styx: absent");
  }
}
