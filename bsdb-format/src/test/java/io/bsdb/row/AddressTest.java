package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.row.text.ValueParser;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Columns of IP addresses: {@code IP} and {@code IPV4}. */
class AddressTest {
  private static final Schema SCHEMA =
      Schema.builder()
          .column("first", "IP")
          .column("number", "IPV4")
          .column("others", "ARRAY<IP>")
          .column("names", "MAP<IP, STRING>")
          .primaryKey("first")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  @ParameterizedTest
  @CsvSource({
    "192.0.2.17, 192.0.2.17",
    "::ffff:192.0.2.17, 192.0.2.17",
    "2001:DB8:0:0:0:0:0:1, 2001:db8::1",
    "2001:db8::0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "0.0.0.0, 0.0.0.0",
    "255.255.255.255, 255.255.255.255"
  })
  void showsAddressesAsRfc5952Does(String given, String shown) {
    RowCodec codec = RowCodec.of(SCHEMA);
    byte[] key = codec.encodeKey(ValueParser.parseKey(SCHEMA.keyColumns(), given));
    assertThat(RowJsonWriter.of(SCHEMA).key(key)).isEqualTo("{\"first\": \"" + shown + "\"}");
  }

  @Test
  void readsWhatItWrites() throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    Column column = SCHEMA.columns().get(0);
    RowCodec codec = RowCodec.of(SCHEMA);
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[16];
      random.nextBytes(bytes);
      for (int k = 0; k < 16; k += 2) {
        if (random.nextInt(3) > 0) {
          bytes[k] = 0;
          bytes[k + 1] = 0;
        }
      }
      String json = RowJsonWriter.of(SCHEMA).key(codec.encodeKey((Object) bytes));
      String text = json.substring(json.indexOf(": \"") + 3, json.length() - 2);
      assertThat(ValueParser.parse(column, text)).isEqualTo(bytes);
      assertThat(InetAddress.getByName(text)).isEqualTo(InetAddress.getByAddress(bytes));
    }
  }

  @Test
  void showsAddressesWithinValues() {
    RowCodec codec = RowCodec.of(SCHEMA);
    byte[] address = (byte[]) ValueParser.parse(SCHEMA.column("first"), "::1");
    byte[] key = codec.encodeKey((Object) address);
    byte[] value = codec.encodeValue(3221225984L, List.of(address), Map.of(address, "home"));
    assertThat(RowJsonWriter.of(SCHEMA).row(key, value))
        .isEqualTo(
            "{\"first\": \"::1\", \"number\": \"192.0.2.0\", \"others\": [\"::1\"],"
                + " \"names\": {\"::1\": \"home\"}}");
    byte[] odd = codec.encodeValue(-1L, List.of(new byte[] {1}), null);
    assertThat(RowJsonWriter.of(SCHEMA).row(key, odd))
        .contains("\"number\": -1, \"others\": [\"AQ==\"]");
  }

  @Test
  void refusesWhatIsNoAddress() {
    for (String text : List.of("facebook", "AQ==", "1.2.3", "localhost", "")) {
      assertThatThrownBy(() -> ValueParser.parse(SCHEMA.column("first"), text))
          .hasMessageContaining("'" + text + "' is not a value of `first`");
    }
    assertThat(ValueParser.parse(SCHEMA.column("number"), "192.0.2.0")).isEqualTo(3221225984L);
  }

  @Test
  void keepsTheDeclarationInTheManifestBesideTheTypeOfOlderReaders() throws Exception {
    ObjectNode json = SCHEMA.toJson();
    assertThat(json.get("columns").get(0).toString())
        .isEqualTo(
            "{\"name\":\"first\",\"type\":\"BINARY(16) NOT NULL\",\"logicalType\":\"IP NOT NULL\"}");
    Schema read = Schema.fromJson(json, "manifest.json");
    assertThat(read).isEqualTo(SCHEMA).hasToString(SCHEMA.toString());
    assertThat(read.toString()).contains("`first` IP NOT NULL, `number` IPV4, `others` ARRAY<IP>");
    assertThat(read.column("others").type()).hasToString("ARRAY<BINARY(16)>");
  }

  @Test
  void readsBytesWhereALogicalTypeIsUnknownOrDoesNotFit() throws Exception {
    for (String logical : List.of("\"UUID\"", "\"IPV4\"", "7", "\"IP(\"", "\"IP\"")) {
      var json =
          new ObjectMapper()
              .readTree(
                  """
                  {"columns": [{"name": "a", "type": "BINARY(16) NOT NULL", "logicalType": %s}],
                   "primaryKey": ["a"]}
                  """
                      .formatted(logical));
      assertThat(Schema.fromJson(json, "m").column("a").type().isAddress()).isFalse();
    }
  }

  @Test
  void refusesTheDeclarationAsAStoredType() throws Exception {
    var json =
        new ObjectMapper()
            .readTree(
                "{\"columns\": [{\"name\": \"a\", \"type\": \"IP\"}], \"primaryKey\": [\"a\"]}");
    assertThatThrownBy(() -> Schema.fromJson(json, "m"))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("unknown type IP");
  }
}
