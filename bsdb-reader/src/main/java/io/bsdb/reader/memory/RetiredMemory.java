package io.bsdb.reader.memory;

import io.bsdb.reader.memory.ElasticMemory.Lookups;
import io.bsdb.reader.memory.MemoryBudget.Use;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** Memory that lookups may still read, though no new one finds it: counted until it is freed. */
final class RetiredMemory {
  private static final Duration LOOKUPS_END_WITHIN = Duration.ofSeconds(1);

  private record Piece(Runnable free, long bytes) {}

  private final MemoryBudget budget;
  private final List<Lookups> lookups = new CopyOnWriteArrayList<>();
  private final Queue<Piece> pieces = new ConcurrentLinkedQueue<>();

  RetiredMemory(MemoryBudget budget) {
    this.budget = budget;
  }

  void add(Lookups of) {
    lookups.add(of);
  }

  void remove(Lookups of) {
    lookups.remove(of);
  }

  void add(Runnable free, long bytes) {
    pieces.add(new Piece(free, bytes));
  }

  boolean isEmpty() {
    return pieces.isEmpty();
  }

  /**
   * Frees what was retired before, once the lookups have ended that had begun; nothing if one takes
   * long. Called by one thread at a time.
   *
   * @return false if one takes long
   */
  boolean free() {
    List<Piece> before = List.copyOf(pieces);
    if (before.isEmpty()) {
      return true;
    }
    if (!lookups.stream().allMatch(each -> each.await(LOOKUPS_END_WITHIN))) {
      return false;
    }
    for (Piece piece : before) {
      pieces.remove(piece);
      piece.free.run();
      budget.giveBack(Use.SIGNATURES, piece.bytes);
    }
    return true;
  }
}
