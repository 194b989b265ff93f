package io.bsdb.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Builds of versions with one file of zeros. */
final class Builds {
  private Builds() {}

  static Manifest manifest(Build build) {
    return new Manifest(
        new Manifest.Identity(
            build.id(), build.version(), build.parent(), Instant.parse("2026-01-02T03:04:05Z")),
        null,
        Map.of(),
        List.of(
            new PartitionFile(
                "part-00000.bsdb", build.id(), 10, 0, 0, 0, 0, new PartitionFile.Place(0))),
        Map.of(),
        Map.of());
  }

  static void writeFile(Table table, Build build) throws IOException {
    try (TableStorage.Output output =
        table.storage().create(build.directory() + "/part-00000.bsdb")) {
      output.write(ByteBuffer.allocate(10));
      output.commit();
    }
  }

  static Build publish(Table table) throws IOException {
    Build build = table.begin();
    writeFile(table, build);
    assertThat(table.publish(build, manifest(build))).isEqualTo(Table.Published.NOW);
    return build;
  }

  /** What one of the threads does. */
  interface Step {
    void run(int number) throws Exception;
  }

  /** Runs a step in many threads at once. */
  static void together(int threads, Step step) throws Exception {
    AtomicInteger named = new AtomicInteger();
    ExecutorService executor =
        Executors.newFixedThreadPool(
            threads, task -> new Thread(task, "test-" + named.getAndIncrement()));
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        tasks.add(
            () -> {
              step.run(number);
              return null;
            });
      }
      for (Future<Void> done : executor.invokeAll(tasks)) {
        done.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }
}
