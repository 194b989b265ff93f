package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Store;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Asks one store slices of the queries.
 *
 * <p>Before each, the slice of the round before is asked, untimed: the stores whose turn it was
 * have left nothing in the processor's caches, and a turn is too short to forget that.
 */
final class StoreRun {
  private static final int CHECKED_FLOORS = 20_000;

  private final Store store;
  private final Workload workload;
  private final int slices;
  private final int length;
  private final Map<Keys, Queries> queries = new EnumMap<>(Keys.class);

  private final Histogram latencies = new Histogram(3);
  private final Histogram notCounted = new Histogram(3);
  private final LongSupplier clock;
  private long received;

  /**
   * @param rounds that there will be at most, the untimed ones excepted
   * @param length queries of a slice: a multiple of {@link Measure#BATCH}
   * @param clock in nanoseconds
   */
  StoreRun(Store store, Workload workload, int rounds, int length, LongSupplier clock) {
    this.clock = clock;
    this.store = store;
    this.workload = workload;
    this.slices = slices(rounds, length);
    this.length = length;
  }

  /**
   * Opens a store and answers requests, in a process of its own: so neither compiled code nor
   * garbage of another store is in its way.
   */
  record Task(Builds builds, String name, int rounds, int length)
      implements Callable<@Nullable Void> {
    @Override
    public @Nullable Void call() throws Exception {
      Peer peer = Peer.one(name);
      try (Store store = peer.open().apply(builds.records(), builds.directory(peer))) {
        Workload workload = builds.records().workload();
        JavaProcess.converse(
            new StoreRun(store, workload, rounds, length, System::nanoTime)::answer);
      }
      return null;
    }
  }

  private static int slices(int rounds, int length) {
    return Math.min(rounds + 1, Workload.QUERIES / length);
  }

  /** Returns how many different queries so many rounds ask in each way. */
  static int queries(int rounds, int length) {
    return slices(rounds, length) * length;
  }

  private Queries queries(Keys keys) {
    return queries.computeIfAbsent(keys, which -> workload.queries(which, slices * length));
  }

  /**
   * Asks all that the rounds will ask, and checks the answers in full. After that the store has
   * touched every page, and checked every block, that it will need.
   *
   * @return a sum of what was received before, so that the compiler cannot drop it
   */
  long prepare(Keys keys) throws Exception {
    Queries all = queries(keys);
    for (int i = 0; i < all.size(); i++) {
      all.checkFully(i, store.get(all.key(i)));
    }
    return received;
  }

  private long orderedHash() throws Exception {
    long[] hash = {0};
    Receiver receiver =
        (key, value) ->
            hash[0] = 31 * (31 * hash[0] + Arrays.hashCode(key)) + Arrays.hashCode(value);
    Queries all = queries(Keys.ABSENT);
    for (int i = 0; i < Math.min(CHECKED_FLOORS, all.size()); i++) {
      store.floor(all.key(i), receiver);
      store.seek(all.key(i), 3, receiver);
    }
    return hash[0];
  }

  /**
   * Asks {@link Measure#BATCH} queries. A method of its own, so that the number of its calls has it
   * compiled before the first round that counts, however short rounds are.
   */
  private interface Part {
    void ask(Queries all, int from) throws Exception;
  }

  /** Measures a slice; returns the nanoseconds that it took. */
  long measure(Measure measure, int round) throws Exception {
    Queries all = queries(measure.keys());
    int threads = measure.way().equals("threads") ? measure.number() : 1;
    ask(all, round - 1, 0, 1, part(measure, -1));
    Part part = part(measure, round);
    long start = clock.getAsLong();
    if (threads == 1) {
      ask(all, round, 0, 1, part);
    } else {
      Workers.run(
          threads,
          thread -> {
            ask(all, round, thread, threads, part);
            return 0L;
          });
    }
    return clock.getAsLong() - start;
  }

  /** Asks the share of one of several threads. */
  private void ask(Queries all, int round, int thread, int threads, Part part) throws Exception {
    int first = Math.floorMod(round, slices) * length;
    int batches = length / Measure.BATCH;
    int end = first + batches * (thread + 1) / threads * Measure.BATCH;
    for (int i = first + batches * thread / threads * Measure.BATCH; i < end; i += Measure.BATCH) {
      part.ask(all, i);
    }
  }

  private Part part(Measure measure, int round) {
    return switch (measure.way()) {
      case "get", "threads" -> this::get;
      case "getAll" -> this::getAll;
      case "latency" -> {
        Histogram histogram = round < 0 ? notCounted : latencies;
        yield (all, from) -> latencies(all, from, histogram);
      }
      case "floor" -> this::floor;
      case "from" -> (all, from) -> seek(all, from, measure.number());
      default -> throw new IllegalArgumentException(measure.way());
    };
  }

  private void get(Queries all, int from) throws Exception {
    for (int i = from; i < from + Measure.BATCH; i++) {
      all.check(i, store.get(all.key(i)));
    }
  }

  private void getAll(Queries all, int from) throws Exception {
    int i = from;
    for (byte[] value : store.getAll(all.keys(from, Measure.BATCH))) {
      all.check(i++, value);
    }
  }

  private void floor(Queries all, int from) throws Exception {
    for (int i = from; i < from + Measure.BATCH; i++) {
      store.floor(all.key(i), this::receive);
    }
  }

  private void seek(Queries all, int from, int count) throws Exception {
    for (int i = from; i < from + Measure.BATCH; i++) {
      store.seek(all.key(i), count, this::receive);
    }
  }

  private void receive(byte[] key, byte[] value) {
    received += key[key.length - 1] + value[value.length - 1];
  }

  /** Times each get alone; some 25 ns of it are the clock. */
  private void latencies(Queries all, int from, Histogram histogram) throws Exception {
    for (int i = from; i < from + Measure.BATCH; i++) {
      long start = clock.getAsLong();
      byte[] value = store.get(all.key(i));
      histogram.recordValue(clock.getAsLong() - start);
      all.check(i, value);
    }
  }

  /**
   * Answers a request: {@code prepare} with keys, {@code order} for a hash of floors and ranges,
   * which is the same for all stores, {@code percentile} with a number for nanoseconds of all gets
   * that were timed alone, or way, number and keys of a {@link Measure} with a round for the
   * nanoseconds per key.
   */
  String answer(String request) throws Exception {
    String[] words = request.split(" ", -1);
    return switch (words[0]) {
      case "prepare" -> Long.toString(prepare(Keys.valueOf(words[1])));
      case "order" -> Long.toString(orderedHash());
      case "percentile" ->
          Long.toString(latencies.getValueAtPercentile(Double.parseDouble(words[1])));
      default -> {
        Keys keys = Keys.valueOf(words[2]);
        Measure measure = new Measure("", words[0], Integer.parseInt(words[1]), keys);
        yield Double.toString(measure(measure, Integer.parseInt(words[3])) / (double) length);
      }
    };
  }
}
