package io.bsdb.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CsvTextTest {
  @Test
  void keepsNestedJsonAsItIs() throws IOException {
    assertThat(line("{\"id\": 1, \"r\": {\"a\": -0.0, \"b\": [20.00, 1.0E300]}, \"n\": null}"))
        .isEqualTo("1,\"{\"\"a\"\":-0.0,\"\"b\"\":[20.00,1.0E300]}\",");
  }

  /** It would be read back as a text with braces. */
  @Test
  void refusesTextThatIsNotUtf8() {
    assertThatThrownBy(() -> line("{\"id\": 1, \"t\": {\"malformedUtf8\": \"/0E=\"}}"))
        .isInstanceOf(CommandFailure.class)
        .hasMessageEndingWith("{\"malformedUtf8\":\"/0E=\"}; take --format json");
  }

  private static String line(String json) throws IOException {
    return CsvText.line(json.getBytes(StandardCharsets.UTF_8));
  }
}
