package io.bsdb.http.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which media type a client gets. */
class MediaTypeTest {
  private static final List<MediaType> OFFERED =
      List.of(MediaType.JSON, MediaType.NDJSON, MediaType.BYTES);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*/* | JSON",
        "application/* | JSON",
        "APPLICATION/X-NDJSON; charset=utf-8 | NDJSON",
        "text/html, application/octet-stream;q=0.1 | BYTES",
        "application/json;q=0.5, application/x-ndjson | NDJSON",
        "application/json;q=0, */* | NDJSON",
        "application/json;q=0.2, */*;q=0.1 | JSON",
      })
  void isTheBestThatIsAccepted(String accept, MediaType expected) {
    assertThat(MediaType.negotiate(List.of(accept), OFFERED)).isEqualTo(expected);
  }

  @Test
  void isTheFirstUnlessTold() {
    assertThat(MediaType.negotiate(List.of(), OFFERED)).isEqualTo(MediaType.JSON);
    assertThat(MediaType.negotiate(List.of(""), OFFERED)).isEqualTo(MediaType.JSON);
    assertThat(MediaType.negotiate(List.of("text/html", "application/octet-stream"), OFFERED))
        .isEqualTo(MediaType.BYTES);
    assertThatThrownBy(() -> MediaType.negotiate(List.of("text/html, */*;q=0"), OFFERED))
        .isInstanceOf(Problem.class)
        .hasMessageStartingWith("Accept is 'text/html, */*;q=0'; there is [application/json, ");
  }

  @Test
  void aMalformedHeaderIsTheClientsFault() {
    for (String accept : List.of("\"", "a\"b\"", ";q=x", "*/*;q=x")) {
      try {
        assertThat(MediaType.negotiate(List.of(accept), OFFERED)).isIn(OFFERED);
      } catch (Problem problem) {
        assertThat(problem.kind().status).isIn(400, 406);
      }
    }
  }
}
