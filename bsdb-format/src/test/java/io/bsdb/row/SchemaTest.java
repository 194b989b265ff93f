package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.format.UnsupportedVersionException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaTest {
  private static final Schema SCHEMA =
      Schema.builder()
          .column("name", "STRING")
          .column("id", "BIGINT")
          .column("population", "BIGINT")
          .column("country", "CHAR(2)")
          .primaryKey("country", "id")
          .build();

  @Test
  void splitsColumnsIntoKeyAndValue() {
    assertThat(SCHEMA.keyColumns())
        .containsExactly(
            Column.of("country", "CHAR(2) NOT NULL"), Column.of("id", "BIGINT NOT NULL"));
    assertThat(SCHEMA.valueColumns())
        .containsExactly(Column.of("name", "STRING"), Column.of("population", "BIGINT"));
    assertThat(List.of(0, 1, 2, 3).stream().map(SCHEMA::keyPosition)).containsExactly(-1, 1, -1, 0);
    assertThat(List.of(0, 1, 2, 3).stream().map(SCHEMA::valuePosition))
        .containsExactly(0, -1, 1, -1);
    assertThat(SCHEMA.position("population")).isEqualTo(2);
    assertThat(SCHEMA.hasColumn("Population")).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SCHEMA.position("x"))
        .withMessage("no column 'x'; the columns are name, id, population, country");
    assertThat(SCHEMA)
        .hasToString(
            "(`name` STRING, `id` BIGINT NOT NULL, `population` BIGINT, `country` CHAR(2) NOT NULL,"
                + " PRIMARY KEY (`country`, `id`))");
    assertThat(SCHEMA.withKeyEncoding(KeyEncoding.ORDERED))
        .hasToString(SCHEMA + " with keyEncoding 'ordered'");
  }

  @Test
  void jsonRoundTrips() throws Exception {
    String json =
        "{\"columns\":[{\"name\":\"name\",\"type\":\"STRING\"},{\"name\":\"id\",\"type\":\"BIGINT NOT NULL\"},"
            + "{\"name\":\"population\",\"type\":\"BIGINT\"},{\"name\":\"country\",\"type\":\"CHAR(2) NOT NULL\"}],"
            + "\"primaryKey\":[\"country\",\"id\"]}";
    assertThat(SCHEMA.toJson()).hasToString(json);
    Schema read = Schema.fromJson(new ObjectMapper().readTree(json), "m");
    assertThat(read).isEqualTo(SCHEMA).hasSameHashCodeAs(SCHEMA);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{}|schema.columns is not an array",
        "[]|schema.columns is not an array",
        "{\"columns\":[]}|schema.primaryKey is not an array",
        "{\"columns\":[],\"primaryKey\":[]}|primary key is empty",
        "{\"columns\":[7]}|schema.columns[0].name is not a string",
        "{\"columns\":[{\"name\":\"a\"}]}|schema.columns[0].type is not a string",
        "{\"columns\":[{\"name\":\"a\",\"type\":\"INT(\"}]}|schema.columns[0]: type text, position 3: expected",
        "{\"columns\":[{\"name\":\"a\",\"type\":\"ROW<b INT>\"}]}|schema.columns[0]: type text, position 4: expected a name in `",
        "{\"columns\":[{\"name\":\"\",\"type\":\"INT\"}]}|schema.columns[0]: column name is blank",
        "{\"columns\":[{\"name\":\"a\",\"type\":\"INT\"}],\"primaryKey\":[null]}|schema.primaryKey[0] is not a string",
        "{\"columns\":[{\"name\":\"a\",\"type\":\"INT\"}],\"primaryKey\":[\"b\"]}|key column 'b' is not a column",
      })
  void namesTheMalformedPartOfJson(String json, String message) throws Exception {
    var node = new ObjectMapper().readTree(json);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Schema.fromJson(node, "m"))
        .withMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"VARIANT", "MULTISET<INT>", "ARRAY<INTERVAL YEAR TO MONTH>", "RAW('a', 'b')"})
  void namesTheColumnOfAnUnsupportedType(String type) throws Exception {
    var node =
        new ObjectMapper()
            .readTree(
                "{\"columns\":[{\"name\":\"id\",\"type\":\"INT\"},{\"name\":\"c\",\"type\":\"%s\"}],\"primaryKey\":[\"id\"]}"
                    .formatted(type));
    assertThatExceptionOfType(UnsupportedVersionException.class)
        .isThrownBy(() -> Schema.fromJson(node, "manifest.json"))
        .withMessageContaining(
            "column 'c' has a type that this bsdb does not support: file=manifest.json")
        .withMessageContaining("unknown type");
  }

  @Test
  void namesAnUnsupportedEncodingOfKeys() throws Exception {
    String json = SCHEMA.toJson().toString();
    assertThat(json).doesNotContain("keyEncoding");
    String end = json.substring(0, json.length() - 1);
    JsonNode plain = new ObjectMapper().readTree(end + ",\"keyEncoding\":\"plain\"}");
    assertThat(Schema.fromJson(plain, "m")).isEqualTo(SCHEMA);

    JsonNode unknown = new ObjectMapper().readTree(end + ",\"keyEncoding\":\"collated\"}");
    assertThatExceptionOfType(UnsupportedVersionException.class)
        .isThrownBy(() -> Schema.fromJson(unknown, "manifest.json"))
        .withMessage(
            "the keys have an encoding that this bsdb does not support: file=manifest.json"
                + " keyEncoding='collated'; upgrade bsdb");
    JsonNode noName = new ObjectMapper().readTree(end + ",\"keyEncoding\":1}");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Schema.fromJson(noName, "m"))
        .withMessage("schema.keyEncoding is not a string");
  }

  @Test
  void rejectsImpossibleSchemas() {
    assertRejected(
        Schema.builder().column("a", "INT").column("a", "INT").primaryKey("a"),
        "duplicate column 'a'");
    assertRejected(Schema.builder().column("a", "INT"), "primary key is empty");
    assertRejected(
        Schema.builder().column("a", "INT").primaryKey("a", "a"),
        "primary key names column 'a' twice");
    for (String type : List.of("ARRAY<INT>", "MAP<INT, INT>", "ROW<>")) {
      assertRejected(
          Schema.builder().column("a", type).primaryKey("a"),
          "column 'a' of type " + type + " cannot be in a primary key");
    }
    var wide = Schema.builder().primaryKey("c0");
    for (int i = 0; i <= Schema.MAX_COLUMNS; i++) {
      wide.column("c" + i, "INT");
    }
    assertRejected(wide, "schema has 16385 columns, more than 16384");
  }

  private static void assertRejected(Schema.Builder builder, String message) {
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessage(message);
  }
}
