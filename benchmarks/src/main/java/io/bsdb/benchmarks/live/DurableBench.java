package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.live.StoreTasks.Target;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.WritableStore;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableTable;
import io.bsdb.table.storage.DirectoryTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.flink.util.function.FunctionWithException;

/**
 * Compares a {@link WritableTable} with other stores that one process writes. Each store has a
 * process of its own, and they take turns; medians.
 *
 * @param scale factor of the records
 * @param only names of stores; those that are compared, if none of them is
 */
public record DurableBench(Path directory, double scale, int rounds, List<String> only) {
  private static final int RECORDS = 1_000_000;
  private static final int KILLED_RECORDS = 10_000_000;
  private static final int YCSB_RECORDS = 50_000;
  private static final int LENGTH = 116;
  private static final int LONG = 8 + 1024;
  private static final int UPDATES_PER_RECORD = 8;
  private static final double SECONDS = 3;
  private static final List<Durability> OS_AND_DISK = List.of(Durability.OS, Durability.COMMIT);

  /** Options of each store's process: equal memory, allocated at the start. */
  private static final List<String> OPTIONS = List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch");

  private int scaled(int records) {
    return (int) (scale * records);
  }

  /** Runs tasks on stores in turn, each in a process of its own that begins without files. */
  private Section compare(
      String title,
      List<String> stores,
      Durability durability,
      int records,
      int length,
      FunctionWithException<Target, Callable<Map<String, Double>>, Exception> task)
      throws Exception {
    return new Turns<>(Peer.choose(stores, only, stores), Row::new, 0, rounds)
        .run(
            (store, round, row) -> {
              Path files = directory.resolve("durable-" + store);
              DirectoryTree.delete(files);
              Target target = new Target(store, files, durability, scaled(records), length);
              JavaProcess.call(OPTIONS, task.apply(target)).forEach(row::add);
              DirectoryTree.delete(files);
            })
        .section(title);
  }

  private static List<String> stores(Durability durability, String without) {
    return WritableStore.all().keySet().stream()
        .filter(name -> !name.equals(without))
        .filter(name -> durability == Durability.OS || !name.equals(WritableStore.HALODB))
        .toList();
  }

  /** Measures random puts by so many threads. */
  public List<Section> puts(Durability durability, int... threads) throws Exception {
    List<Section> sections = new ArrayList<>();
    for (int count : threads) {
      sections.add(
          compare(
              "%s, %d threads".formatted(durability, count),
              stores(durability, WritableStore.ROCKSDB_BLOB),
              durability,
              RECORDS,
              LENGTH,
              target -> new StoreTasks.Puts(target, count, SECONDS)));
    }
    return sections;
  }

  /**
   * Measures the opening of a store whose process was killed after a tenth of its records had
   * changed.
   */
  public List<Section> killed() throws Exception {
    return List.of(
        compare(
            "Opened after a kill, %,d records".formatted(scaled(KILLED_RECORDS)),
            stores(Durability.OS, WritableStore.ROCKSDB_BLOB),
            Durability.OS,
            KILLED_RECORDS,
            LENGTH,
            target -> {
              try (var process = new JavaProcess(OPTIONS, new StoreTasks.Changed(target))) {
                process.answer();
                process.kill();
              }
              return new StoreTasks.Opened(target);
            }));
  }

  /** Runs YCSB's core workloads; a heap stands for the time that YCSB itself takes. */
  public List<Section> ycsb() throws Exception {
    List<Section> sections = new ArrayList<>();
    for (Durability durability : OS_AND_DISK) {
      for (int threads : new int[] {1, 8}) {
        sections.add(
            compare(
                "YCSB, %s, threads %d".formatted(durability, threads),
                List.of(WritableStore.BSDB, WritableStore.ROCKSDB, StoreYcsb.HEAP),
                durability,
                YCSB_RECORDS,
                LONG,
                target -> new StoreYcsb(target, threads, Math.min(1, 10 * scale))));
      }
    }
    return sections;
  }

  /**
   * Updates of random records; fewer where each waits for the disk.
   *
   * @param settle seconds for which a store may work on after its last change
   */
  public List<Section> writes(double settle) throws Exception {
    List<Section> sections = new ArrayList<>();
    for (Durability durability : OS_AND_DISK) {
      for (int length : new int[] {LONG, LENGTH}) {
        boolean waits = durability == Durability.COMMIT;
        int records = length == LONG || waits ? 300_000 : 2_400_000;
        int updates = scaled(records) * (waits ? 1 : UPDATES_PER_RECORD);
        sections.add(
            compare(
                "%s, records of %,d bytes, %,d updates".formatted(durability, length, updates),
                stores(durability, ""),
                durability,
                records,
                length,
                target -> new StoreTasks.Writes(target, updates, settle)));
      }
    }
    return sections;
  }
}
