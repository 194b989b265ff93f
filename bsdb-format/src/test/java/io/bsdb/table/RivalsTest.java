package io.bsdb.table;

import static io.bsdb.table.Builds.manifest;
import static io.bsdb.table.Builds.publish;
import static io.bsdb.table.Builds.writeFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.io.IORunnable;
import io.bsdb.table.storage.ForwardingStorage;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Builds that are published at the same moment where there are no locks. */
class RivalsTest {
  @TempDir Path directory;
  private Table table;
  private Build parent;
  private Build one;
  private Build other;

  private interface Step {
    void run() throws IOException;
  }

  @BeforeEach
  void begin() throws Exception {
    table = meanwhile("", "", () -> {});
    publish(table);
    parent = publish(table);
    one = table.begin();
    other = table.begin();
    writeFile(table, one);
    writeFile(table, other);
  }

  /** The table as seen by a process: does something right before or after a file is replaced. */
  private Table meanwhile(String before, String after, Step step) {
    return meanwhile(directory, before, after, step);
  }

  private static Table meanwhile(Path root, String before, String after, Step step) {
    return Table.of(
        new ForwardingStorage(Table.at(root).storage()) {
          private boolean done;

          @Override
          public boolean hasLocks() {
            return false;
          }

          @Override
          public void exclusively(IORunnable action) throws IOException {
            action.run();
          }

          private void run(String wanted, String path) throws IOException {
            if (path.endsWith(wanted) && !wanted.isEmpty() && !done) {
              done = true;
              step.run();
            }
          }

          @Override
          public void replace(String path, byte[] content) throws IOException {
            run(before, path);
            super.replace(path, content);
            run(after, path);
          }
        });
  }

  @Test
  void theSecondOfTwoGivesUp() throws Exception {
    Table first =
        meanwhile(
            "CURRENT",
            "",
            () ->
                assertThatThrownBy(() -> table.publish(other, manifest(other)))
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                        "another version is being published at the same moment: table=%s this version=%s other version=%s; nothing was replaced, try again",
                        directory, other.version(), one.version()));

    assertThat(first.publish(one, manifest(one))).isEqualTo(Table.Published.NOW);

    assertThat(table.currentVersion()).isEqualTo(one.version());
    assertThat(table.versions()).doesNotContain(other.version());
    assertThatThrownBy(() -> table.publish(other, manifest(other)))
        .isInstanceOf(PublishConflictException.class);
  }

  @Test
  void givesUpForOneThatMayBeAboutToSwap() throws Exception {
    table.storage().replace(other.directory() + "/manifest.json", manifest(other).encode());

    assertThatThrownBy(() -> table.publish(one, manifest(one)))
        .hasMessageContaining("other version=" + other.version());

    assertThat(table.currentVersion()).isEqualTo(parent.version());
    // The other one was killed, and does not hold up builds that begin now.
    Build next = publish(table);
    assertThat(table.currentVersion()).isEqualTo(next.version());
  }

  @Test
  void comparesBeforeItSwaps() throws Exception {
    String before = table.versions().get(0);
    Table slow = meanwhile("", one.directory() + "/manifest.json", () -> table.rollback(before));

    assertThatThrownBy(() -> slow.publish(one, manifest(one)))
        .hasMessage(
            "another version was put in service at the same moment: table=%s this version=%s follows=%s in service now=%s; nothing was replaced, try again",
            directory, one.version(), parent.version(), before);

    assertThat(table.currentVersion()).isEqualTo(before);
    assertThat(table.versions()).doesNotContain(one.version());
  }

  @Test
  void noticesThatItsSwapWasUndone() {
    Table replaced =
        meanwhile(
            "",
            "CURRENT",
            () -> {
              TableStorage storage = table.storage();
              storage.replace(other.directory() + "/manifest.json", manifest(other).encode());
              storage.replace("CURRENT", (other.version() + "\n").getBytes(StandardCharsets.UTF_8));
            });

    assertThatThrownBy(() -> replaced.publish(one, manifest(one)))
        .hasMessageContaining("in service now=" + other.version())
        .hasMessageContaining("what this one has is not in service, try again");
  }

  @Test
  void aVersionThatFollowsIsNoRival() throws Exception {
    Table followed = meanwhile("", "CURRENT", () -> publishNext());

    assertThat(followed.publish(one, manifest(one))).isEqualTo(Table.Published.NOW);
  }

  /** Whoever wins, no complete version is left that CURRENT does not name. */
  @ParameterizedTest
  @CsvSource({"CURRENT,''", "'',CURRENT", "manifest.json,''", "'',manifest.json"})
  void oneOfTwoFirstVersionsIsInService(String before, String after) throws Exception {
    Path root = directory.resolve("fresh");
    Table rival = meanwhile(root, "", "", () -> {});
    Build theirs = rival.begin();
    Build ours = rival.begin();
    writeFile(rival, theirs);
    writeFile(rival, ours);
    List<String> won = new ArrayList<>();
    Table interrupted = meanwhile(root, before, after, () -> publishIfNoneIs(rival, theirs, won));
    publishIfNoneIs(interrupted, ours, won);
    assertThat(won).hasSizeLessThan(2);
    assertThat(rival.currentVersion()).isEqualTo(won.isEmpty() ? null : won.get(0));
    Build next = publish(rival);
    assertThat(rival.currentVersion()).isEqualTo(next.version());
  }

  private static void publishIfNoneIs(Table table, Build build, List<String> won) {
    try {
      table.publish(build, manifest(build));
      won.add(build.version());
    } catch (IOException gaveUp) {
      assertThat(gaveUp)
          .hasMessageMatching(
              "(?s).*(try again|run this build again|bsdb rollback|sys.rollback_to).*");
    }
  }

  private void publishNext() throws IOException {
    Build next = table.begin();
    assertThat(next.parent()).isEqualTo(one.version());
    writeFile(table, next);
    table.publish(next, manifest(next));
  }
}
