package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.ChildProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A follower that once had no memory for the changes of a batch hands out all of them later. */
class FollowerWithoutMemoryTest {
  private static final int CHANGES = 100_000;

  @TempDir Path table;

  @Test
  void readsTheSameChangesAgain() throws Exception {
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(List.of(), List.of("-Xmx32m"), FollowsAgain.class, table.toString()));
    assertThat(result.lines()).contains("failed: true", "all changes: true");
  }

  static final class FollowsAgain {
    private FollowsAgain() {}

    public static void main(String[] arguments) throws IOException {
      Path table = Path.of(arguments[0]);
      try (WritableTable written = WritableTable.open(table)) {
        WriteBatch batch = new WriteBatch();
        for (int i = 0; i < CHANGES; i++) {
          batch.delete(key(i));
        }
        written.write(batch);
        written.delete(key(CHANGES)); // which confirms that the batch is durable
        written.delete(key(CHANGES + 1));
        try (ChangeReader changes = ChangeReader.from(table, "follower", LogPosition.START)) {
          followWithoutMemory(changes);
          int count = 0;
          while (changes.next()) {
            count++;
          }
          boolean lastConfirmed = count == CHANGES + 2; // as by the mark that a thread writes
          System.out.println("all changes: " + (count == CHANGES + 1 || lastConfirmed));
        }
      }
    }

    private static void followWithoutMemory(ChangeReader changes) throws IOException {
      List<byte[]> all = new ArrayList<>(1 << 16);
      try {
        while (true) {
          all.add(new byte[32 << 10]);
        }
      } catch (OutOfMemoryError full) {
        // as it is to be
      }
      try {
        changes.next();
      } catch (OutOfMemoryError expected) {
        int held = all.size();
        all.clear();
        System.out.println("failed: " + (held > 0));
      }
    }

    private static byte[] key(int i) {
      return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
    }
  }
}
