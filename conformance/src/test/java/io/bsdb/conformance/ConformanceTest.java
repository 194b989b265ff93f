package io.bsdb.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.SnapshotVerifier;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Reads the tables of the folder {@code conformance}, and what is expected of them, from there. */
class ConformanceTest {
  private static final Path FOLDER = Path.of(".");
  private static final Map<String, Class<? extends IOException>> CLASSES =
      Map.of(
          "corrupt", CorruptSnapshotException.class,
          "unsupported", UnsupportedVersionException.class,
          "not found", NoSuchFileException.class);

  @BeforeAll
  static void writeIfAsked(@TempDir Path temporary) throws IOException {
    String start = System.getProperty("bsdb.conformance.write");
    if (start != null) {
      ConformanceTables.write(FOLDER, temporary, start);
    }
  }

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private static Stream<DynamicTest> tests(String kind, Check check) throws IOException {
    JsonNode cases = JSON.readTree(Files.readAllBytes(FOLDER.resolve("cases.json")));
    return StreamSupport.stream(cases.get(kind).spliterator(), false)
        .map(
            expected ->
                DynamicTest.dynamicTest(
                    expected.get("table").textValue(),
                    () -> check.run(FOLDER.resolve(expected.get("table").textValue()), expected)));
  }

  private interface Check {
    void run(Path table, JsonNode expected) throws IOException;
  }

  @TestFactory
  Stream<DynamicTest> soundTablesAnswer() throws IOException {
    return tests("good", ConformanceTest::assertAnswers);
  }

  private static void assertAnswers(Path table, JsonNode expected) throws IOException {
    Manifest manifest = verify(table);
    assertThat(manifest.recordCount()).isEqualTo(expected.get("recordCount").longValue());
    for (Access access : Access.values()) {
      try (SnapshotReader reader = SnapshotReader.open(table, options(access))) {
        for (String records : List.of("records", "falsePositives")) {
          for (JsonNode record : expected.path(records)) {
            byte[] value = reader.get(bytes(record.get("key")));
            assertThat(value).as("%s %s", access, record.get("key")).isNotNull();
            JsonNode wanted = record.get("value");
            if (wanted.isTextual()) {
              assertThat(value).isEqualTo(bytes(wanted));
            } else {
              assertThat(value).hasSize(wanted.get("length").intValue());
              assertThat(ConformanceTables.sha256(value))
                  .isEqualTo(wanted.get("sha256").textValue());
            }
          }
        }
        Schema schema = manifest.schema();
        if (schema != null) {
          assertRows(schema, reader, expected.get("records"));
        }
        for (JsonNode key : expected.get("absent")) {
          assertThat(reader.get(bytes(key))).as("%s %s", access, key).isNull();
        }
        for (JsonNode near : expected.path("near")) {
          assertNear(reader.ordered(), near, access);
        }
        for (JsonNode asked : expected.path("asOf")) {
          long millis = asked.get("millis").longValue();
          Instant time = Instant.ofEpochMilli(millis).plusNanos(asked.get("nanos").intValue());
          KeyValue found = reader.ordered().asOf(bytes(asked.get("leading")), time);
          assertKey(found, asked, "key", access);
        }
      }
    }
  }

  private static void assertNear(OrderedReader ordered, JsonNode near, Access access)
      throws IOException {
    byte[] key = bytes(near.get("key"));
    assertKey(ordered.floor(key), near, "floor", access);
    assertKey(ordered.ceiling(key), near, "ceiling", access);
    assertKey(ordered.lower(key), near, "lower", access);
    assertKey(ordered.higher(key), near, "higher", access);
    if (near.has("longestPrefix")) {
      assertKey(ordered.longestPrefix(key), near, "longestPrefix", access);
    }
  }

  private static void assertKey(
      @Nullable KeyValue found, JsonNode near, String name, Access access) {
    assertThat(found == null ? null : found.key())
        .as("%s %s of %s", access, name, near)
        .isEqualTo(near.get(name).isNull() ? null : bytes(near.get(name)));
  }

  private static void assertRows(Schema schema, SnapshotReader reader, JsonNode records)
      throws IOException {
    for (JsonNode record : records) {
      if (!record.has("row")) {
        continue;
      }
      byte[] key = bytes(record.get("key"));
      byte[] value = reader.get(key);
      assertThat(value).isNotNull();
      assertThat(JSON.readTree(RowJsonWriter.of(schema).row(key, value)))
          .isEqualTo(record.get("row"));
    }
  }

  @TestFactory
  Stream<DynamicTest> damagedTablesFailWithTheirClass() throws IOException {
    return tests("bad", ConformanceTest::assertFails);
  }

  private static void assertFails(Path table, JsonNode expected) throws IOException {
    Class<? extends IOException> wanted = CLASSES.get(expected.get("fails").textValue());
    assertThatThrownBy(() -> verify(table)).as("full verification").isExactlyInstanceOf(wanted);
    for (Access access : Access.values()) {
      if (expected.has("found")) {
        readAll(table, access, expected);
      } else {
        assertThatThrownBy(() -> readAll(table, access, expected))
            .as(access.name())
            .isExactlyInstanceOf(wanted);
      }
    }
  }

  private static Manifest verify(Path table) throws IOException {
    String version = Table.at(table).requireCurrentVersion();
    Table.at(table).manifest(version);
    return SnapshotVerifier.verify(table.resolve("snapshots").resolve(version));
  }

  private static void readAll(Path table, Access access, JsonNode expected) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table, options(access))) {
      for (JsonNode key : expected.get("keys")) {
        reader.get(bytes(key));
      }
    }
  }

  private static ReaderOptions options(Access access) {
    return ReaderOptions.builder().access(access).build();
  }

  private static byte[] bytes(JsonNode base64) {
    return Base64.getDecoder().decode(base64.textValue());
  }
}
