package io.bsdb.reader.memory;

import io.bsdb.format.Internal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * Signatures that hold the same number of bits in memory: in hash order, where keys are spread
 * evenly, those of all partitions that a reader of a table has open, in key order those of one
 * partition. Safe for many threads.
 *
 * @hidden
 */
@Internal
public final class SignatureUnit {
  private final List<Member> members = new CopyOnWriteArrayList<>();
  private final LongAdder absentKeys = new LongAdder();
  private final List<LongAdder> rejected = new ArrayList<>();
  private long counted;
  private volatile double hotness;
  private volatile int bits;

  /** Creates a unit without members. */
  public SignatureUnit() {}

  /** The signatures of one partition. */
  public interface Member {
    /** Returns the bits that its file has of each signature. */
    int maxBits();

    /** Returns the bits in memory. */
    int bits();

    /** Returns the bytes of memory that so many bits take. */
    long bytes(int bits);

    /**
     * Holds so many bits, if that fits the budget: fewer ones are taken from memory, more are read
     * from disk.
     *
     * @return whether they are held
     * @throws IOException if they cannot be read; those in memory stay
     */
    boolean hold(int bits) throws IOException;
  }

  /** Counts an absent key that the signatures let through. */
  public void absentKey() {
    absentKeys.increment();
  }

  /**
   * Returns a counter of absent keys that the signatures reject, which a reader needs in any case:
   * a second one would cost a lookup several percent.
   */
  public synchronized LongAdder addRejected() {
    LongAdder counter = new LongAdder();
    rejected.add(counter);
    return counter;
  }

  /** Keeps what was counted by a counter that counts no more. */
  public synchronized void endRejected(LongAdder counter) {
    if (rejected.remove(counter)) {
      absentKeys.add(counter.sum());
    }
  }

  public void add(Member member) {
    members.add(member);
  }

  public void remove(Member member) {
    members.remove(member);
  }

  /** Takes over bits and hotness of units that this takes the place of. */
  public void inherit(int ofBits, double ofHotness) {
    bits = ofBits;
    hotness = ofHotness;
  }

  /**
   * Counts again the absent keys that came as far as the signatures, which does not depend on the
   * bits: what was counted before counts so much less.
   */
  synchronized void age(double factor) {
    long now = absentKeys.sum() + rejected.stream().mapToLong(LongAdder::sum).sum();
    hotness = hotness * factor + now - counted;
    counted = now;
  }

  /** Returns the number of absent keys, the recent ones above all. */
  public double hotness() {
    return hotness;
  }

  List<Member> members() {
    return members;
  }

  /** Returns the bits that members are to hold, those that have so many. */
  public int bits() {
    return bits;
  }

  void bits(int wanted) {
    bits = wanted;
  }

  int bitsOf(Member member) {
    return Math.min(bits, member.maxBits());
  }

  int maxBits() {
    return members.stream().mapToInt(Member::maxBits).max().orElse(0);
  }

  /** Returns the bytes of memory that so many bits take. */
  long bytes(int wanted) {
    long sum = 0;
    for (Member member : members) {
      sum += member.bytes(Math.min(wanted, member.maxBits()));
    }
    return sum;
  }

  static long bytes(Collection<SignatureUnit> units) {
    return units.stream().mapToLong(unit -> unit.bytes(unit.bits)).sum();
  }
}
