package io.bsdb.live.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.live.LogPosition;
import io.bsdb.testkit.LoggedLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetentionTest {
  private static final int LENGTH = 100;

  @TempDir Path directory;

  private String segment(int number) throws IOException {
    String name = "000000000" + number + LogPart.SUFFIX;
    Files.write(directory.resolve(name), new byte[LENGTH]);
    return name;
  }

  private Retention retention(long maxBytes, int segments) throws IOException {
    List<String> old = new ArrayList<>();
    for (int number = 1; number <= segments; number++) {
      old.add(segment(number));
    }
    LogDirectory storage = new LogDirectory(directory);
    return new Retention(storage, new Followers(directory), maxBytes, old);
  }

  private List<Integer> kept() throws IOException {
    List<Integer> kept = new ArrayList<>();
    for (String name : new LogDirectory(directory).list()) {
      if (name.endsWith(LogPart.SUFFIX)) {
        kept.add(Integer.parseInt(name.substring(0, 10)));
      }
    }
    return kept;
  }

  @Test
  void keepsTheSegmentThatAFollowerIsInAndThoseBehindIt() throws IOException {
    new Followers(directory).write("slow", new LogPosition(2, 64));
    new Followers(directory).write("fast", new LogPosition(3, 64));
    Retention retention = retention(Long.MAX_VALUE, 3);
    retention.trim();
    assertThat(kept()).containsExactly(2, 3);
    new Followers(directory).write("slow", new LogPosition(4, 64));
    retention.add(segment(4));
    assertThat(kept()).containsExactly(3, 4);
  }

  @Test
  void keepsNoMoreThanItsLimitForAFollower() throws IOException {
    new Followers(directory).write("follower", LogPosition.START);
    Retention retention = retention(3 * LENGTH, 3);
    retention.trim();
    assertThat(kept()).containsExactly(1, 2, 3);
    retention.add(segment(4));
    assertThat(kept()).containsExactly(2, 3, 4);
  }

  @Test
  void keepsAllForAFollowerWhoseFileCannotBeRead() throws IOException {
    Path file = directory.resolve("other.follower");
    Files.createSymbolicLink(file, file);
    Path damaged = directory.resolve("damaged.follower");
    Files.writeString(damaged, "x");
    Retention retention = retention(3 * LENGTH, 3);
    try (LoggedLines log = LoggedLines.of(Followers.class)) {
      retention.trim();
      retention.trim();
      assertThat(kept()).containsExactly(1, 2, 3);
      assertThat(log.all())
          .hasSize(2)
          .allMatch(line -> line.startsWith("WARN the position of a follower of the log cannot be"))
          .anyMatch(line -> line.contains("file=" + file + " (java.nio.file.FileSystemException: "))
          .anyMatch(line -> line.contains("file=" + damaged + " ("))
          .allMatch(line -> line.endsWith("or delete it if the follower is no longer used"));
    }
  }

  @Test
  void keepsNothingWithoutFollowers() throws IOException {
    Retention retention = retention(Long.MAX_VALUE, 2);
    retention.trim();
    assertThat(kept()).isEmpty();
  }
}
