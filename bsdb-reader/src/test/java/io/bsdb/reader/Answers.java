package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.ValueReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;

/**
 * Tells right answers from refusals, and fails at anything else.
 *
 * @param places what messages must name one of: file and offset
 */
record Answers(List<String> places) {

  /**
   * Asks for each key in every way.
   *
   * @param expected the right answers
   * @return how many keys were refused, in every way alike
   */
  int refused(SnapshotReader reader, List<byte[]> keys, List<byte[]> expected) {
    ByteBuffer target = ByteBuffer.allocate(1 << 10);
    int refused = 0;
    for (int i = 0; i < keys.size(); i++) {
      byte[] key = keys.get(i);
      boolean right = isRight(() -> reader.get(key), expected.get(i));
      assertThat(isRight(() -> reader.async().get(key).join(), expected.get(i))).isEqualTo(right);
      assertThat(isRight(() -> get(reader, key, target.clear()), expected.get(i))).isEqualTo(right);
      assertThat(isRight(() -> reader.get(key, BY_BYTES), expected.get(i))).isEqualTo(right);
      refused += right ? 0 : 1;
    }
    return refused;
  }

  /** Reads single bytes of what it is lent. */
  static final ValueReader<byte[]> BY_BYTES =
      (key, bytes, offset, length) -> {
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
          value[i] = bytes.byteAt(offset + i);
        }
        return value;
      };

  private static byte[] get(SnapshotReader reader, byte[] key, ByteBuffer target)
      throws IOException {
    int length = reader.get(key, target);
    if (length == SnapshotReader.NOT_FOUND) {
      return null;
    }
    byte[] value = new byte[length];
    target.get(0, value);
    return value;
  }

  private boolean isRight(Callable<byte[]> read, byte[] expected) {
    byte[] actual;
    try {
      actual = read.call();
    } catch (Throwable e) {
      assertRefusal(e);
      return false;
    }
    if (!Arrays.equals(actual, expected)) { // assertThat would take most of the test's time
      assertThat(actual).isEqualTo(expected);
    }
    return true;
  }

  /** The read must be refused. */
  void assertRefused(Callable<?> read) {
    try {
      read.call();
    } catch (Throwable e) {
      assertRefusal(e);
      return;
    }
    throw new AssertionError("a misplaced part was not noticed");
  }

  private void assertRefusal(Throwable thrown) {
    Throwable e = thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
    if (e instanceof AssertionError error) {
      throw error;
    }
    if (!(e instanceof CorruptSnapshotException)
        || places.stream().noneMatch(e.getMessage()::contains)) {
      throw new AssertionError("no refusal that names file and offset", e);
    }
  }
}
