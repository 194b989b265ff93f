package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.HugeMemory;
import io.bsdb.testkit.OpenFiles;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test after which there are more or fewer file memories, allocations outside of the heap,
 * descriptors of tables and rings, mappings of either, or threads of readers than before it.
 */
public final class NothingLeftOpen implements BeforeEachCallback, AfterEachCallback {
  /** Temporary directories of tests, rings, and what wakes rings. */
  private static final Pattern OURS = Pattern.compile("/junit-?\\d+/|\\[io_uring\\]|\\[eventfd\\]");

  private long memories;
  private long allocations;
  private List<String> descriptors = List.of();
  private List<String> mappings = List.of();
  private Set<Thread> threads = Set.of();

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    memories = FileMemory.openCount();
    allocations = HugeMemory.openCount();
    descriptors = descriptors();
    mappings = mappings();
    threads = threads();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    Set<Thread> left = threads();
    left.removeAll(threads);
    for (Thread thread : left) {
      thread.join(
          TimeUnit.SECONDS.toMillis(60)); // what has ended its work may still be about to go
    }
    assertThat(left).noneMatch(Thread::isAlive);
    assertThat(FileMemory.openCount()).as("file memories").isEqualTo(memories);
    assertThat(HugeMemory.openCount()).as("allocations").isEqualTo(allocations);
    assertThat(descriptors()).containsExactlyInAnyOrderElementsOf(descriptors);
    assertThat(mappings()).containsExactlyInAnyOrderElementsOf(mappings);
  }

  private static boolean isOurs(String file) {
    return OURS.matcher(file).find();
  }

  /**
   * The mappings of a build's spill files go with the garbage collector; they are empty by then.
   */
  private static boolean isUnmappedByUs(String mapping) {
    return isOurs(mapping) && !mapping.contains(".spill");
  }

  private static List<String> descriptors() throws IOException {
    return OpenFiles.descriptors().stream().filter(NothingLeftOpen::isOurs).toList();
  }

  private static List<String> mappings() throws IOException {
    return OpenFiles.mappings().stream().filter(NothingLeftOpen::isUnmappedByUs).toList();
  }

  private static Set<Thread> threads() {
    Set<Thread> ours = new HashSet<>(Thread.getAllStackTraces().keySet());
    ours.removeIf(thread -> !thread.getName().startsWith("bsdb-"));
    return ours;
  }
}
