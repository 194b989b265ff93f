package io.bsdb.reader.snapshot;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.format.hash.KeyHash;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one lookup with their hashes, and the answers as far as they are known: each layer of
 * a table answers what it can. Used by one thread at a time.
 */
public final class HashedKeys<T> {
  private static final byte OPEN = 0;
  private static final byte ABSENT = 1;
  private static final byte PRESENT = 2;

  private final byte[][] keys;
  private final long[] high;
  private final long[] low;
  private final ValueReader<T> reader;
  private final byte[] states;
  private final @Nullable Object[] answers;

  /**
   * Hashes keys; neither the list nor one of them may be null.
   *
   * @param reader of their values
   */
  public HashedKeys(List<byte[]> keys, ValueReader<T> reader) {
    this(
        Objects.requireNonNull(keys, "keys").toArray(byte[][]::new),
        new long[keys.size()],
        new long[keys.size()],
        new byte[keys.size()],
        Objects.requireNonNull(reader, "reader"));
    for (int i = 0; i < high.length; i++) {
      byte[] key = this.keys[i];
      if (key == null) {
        throw new NullPointerException("keys[%d]".formatted(i));
      }
      HashValue128 hash = KeyHash.hash(key);
      high[i] = hash.getMostSignificantBits();
      low[i] = hash.getLeastSignificantBits();
    }
  }

  private HashedKeys(byte[][] keys, long[] high, long[] low, byte[] states, ValueReader<T> reader) {
    this.keys = keys;
    this.high = high;
    this.low = low;
    this.states = states;
    this.answers = new @Nullable Object[keys.length];
    this.reader = reader;
  }

  /** Returns the number of keys. */
  public int size() {
    return keys.length;
  }

  /** Returns a key. */
  public byte[] key(int index) {
    return keys[index];
  }

  /** Returns the high word of the hash of a key. */
  public long high(int index) {
    return high[index];
  }

  long low(int index) {
    return low[index];
  }

  /** Returns whether a key has been answered: the layers below need not look for it. */
  boolean isAnswered(int index) {
    return states[index] != OPEN;
  }

  /** Returns what values are lent to. */
  public ValueReader<T> reader() {
    return reader;
  }

  /** Answers a key that is present with what the reader returned, or that its row is hidden. */
  public void answer(int index, @Nullable T answer) {
    if (answer == Ended.ABSENT) {
      answerAbsent(index);
      return;
    }
    answers[index] = answer;
    states[index] = PRESENT;
  }

  /** Answers that a key is absent. */
  public void answerAbsent(int index) {
    states[index] = ABSENT;
  }

  /** Returns the same keys, for values that are copied where they are not answered yet. */
  public HashedKeys<byte[]> copying() {
    return new HashedKeys<>(keys, high, low, states.clone(), ValueReader.COPY);
  }

  /** Lends copies to the reader, in the calling thread. */
  public void answerFrom(HashedKeys<byte[]> copies) {
    for (int i = 0; i < states.length; i++) {
      byte[] value = (byte[]) copies.answers[i];
      if (value != null) {
        answer(i, LentBytes.of(value).lend(value.length, i, reader));
      }
    }
  }

  /** Returns the answers, in the order of the keys; null for absent keys. */
  @SuppressWarnings("unchecked") // only the reader's results are put there
  public List<@Nullable T> answers() {
    return (List<@Nullable T>) Arrays.asList(answers);
  }

  /** Returns how many keys have a value. */
  int hits() {
    int hits = 0;
    for (byte state : states) {
      hits += state == PRESENT ? 1 : 0;
    }
    return hits;
  }
}
