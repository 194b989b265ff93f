package io.bsdb.reader.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ReaderOptionsTest {
  @Test
  void travelAsText() {
    ReaderOptions options =
        ReaderOptions.builder()
            .access(Access.IO_URING)
            .verification(Verification.FULL)
            .blockCacheBytes(1L << 33)
            .queueDepth(7)
            .share(new KeyShare(2, 5))
            .warmUp(WarmUp.ALWAYS)
            .signatures(SignatureUse.ALWAYS)
            .build();
    assertThat(ReaderOptions.parse(options.toMap())).isEqualTo(options);
    assertThat(options.toMap())
        .containsEntry("access", "io_uring")
        .containsEntry("share", "2 of 5")
        .containsEntry("block-cache-size", "8589934592");
    assertThat(ReaderOptions.parse(ReaderOptions.defaults().toMap()))
        .isEqualTo(ReaderOptions.defaults());
    assertThat(ReaderOptions.parse(Map.of())).isEqualTo(ReaderOptions.defaults());
  }

  private static void assertRefused(String name, String value, String message) {
    assertThatThrownBy(() -> ReaderOptions.parse(Map.of(name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("option of a reader '%s'='%s': %s".formatted(name, value, message));
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    assertRefused(
        "acces",
        "mapped",
        "there is no such option; there are [access, block-cache-size, queue-depth, share,"
            + " signatures, verification, warm-up]");
    assertRefused("access", "heap", "expected one of mapped, resident, direct, io_uring");
    assertRefused("queue-depth", "0", "queue depth: expected 1 to 4096, actual 0");
    assertRefused("queue-depth", "many", "expected a number");
    assertRefused("share", "half", "expected a share of the keys such as '1 of 4'");
    assertRefused(
        "share", "4 of 4", "share of keys: expected 0<=index<count, actual index=4 count=4");
  }
}
