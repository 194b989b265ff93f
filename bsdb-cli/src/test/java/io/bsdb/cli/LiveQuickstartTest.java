package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class LiveQuickstartTest {
  private static final String HOME = "bsdb.home";

  @TempDir private Path directory;

  @BeforeEach
  void standInTheProjectsDirectory() {
    System.setProperty(HOME, "..");
  }

  @AfterEach
  void forgetTheProjectsDirectory() {
    System.clearProperty(HOME);
  }

  @Test
  void joinsWithATableThatAStreamKeepsFresh() {
    Path own = directory.resolve("quickstart");
    CommandRun run = CommandRun.of("quickstart", "live", "--directory", own);

    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("  Berlin has 3,426,354 inhabitants\n")
        .contains("  Berlin has 4,426,354 inhabitants\n")
        .containsPattern("\nchanges=\\d+ versions=\\d+ population=4426354\n$");
    assertThat(CommandRun.of("get", "--table", own.resolve("live-cities"), "--", 2950159).out())
        .contains("4426354");
  }
}
