package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.ChildProcess;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Processes that may not have a ring, or not a whole one: right answers all the same, one logged
 * line with reason and remedy, and metrics that say so.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class RestrictedRingTest {
  private static final List<String> LOGGED = List.of("-Dlog4j2.level=INFO");
  private static final Pattern LOG_LINE = Pattern.compile(" (ERROR|WARN|INFO) ");
  private static final String DEPTH = "16";

  @TempDir static Path table;
  @TempDir Path other;

  @BeforeAll
  static void publish() throws Exception {
    RestrictedReads.data()
        .publish(table, WriterOptions.builder().layout(Layout.BLOCKED).partitions(2).build());
  }

  private ChildProcess.Result run(
      List<String> before, List<String> javaOptions, String... arguments) throws Exception {
    return run(table, before, javaOptions, arguments);
  }

  private ChildProcess.Result run(
      Path read, List<String> before, List<String> javaOptions, String... arguments)
      throws Exception {
    List<String> options = new ArrayList<>(LOGGED);
    options.addAll(javaOptions);
    String[] all = new String[arguments.length + 1];
    all[0] = read.toString();
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    ChildProcess.Result result =
        ChildProcess.run(ChildProcess.of(before, options, RestrictedReads.class, all));
    assertThat(result.status()).as("%s", result.lines()).isZero();
    assertThat(result.lines()).contains("right answers: 1200", "descriptors of rings: 0");
    return result;
  }

  private static List<String> logged(ChildProcess.Result result) {
    return result.lines().stream().filter(line -> LOG_LINE.matcher(line).find()).toList();
  }

  private static void assertFellBack(ChildProcess.Result result, String reason, String remedy) {
    assertThat(logged(result))
        .singleElement()
        .asString()
        .contains("WARN", "io_uring is not available, reading with a pool of threads instead: ")
        .contains(reason)
        .contains(remedy);
    assertThat(result.with("effective access: "))
        .singleElement()
        .asString()
        .startsWith("effective access: DIRECT instead of IO_URING: ")
        .contains(reason);
  }

  @Test
  void withoutLiburingThreadsRead() throws Exception {
    Files.createFile(other.resolve("liburing.so.2")); // is found first, and is no library
    ChildProcess.Result result = run(List.of(), List.of("-Djna.library.path=" + other), DEPTH);
    assertFellBack(result, "liburing.so.2 does not load", "apt-get install liburing2");
  }

  /** As in a container, on an old kernel, at a limit on memory, and at one on open files. */
  @ParameterizedTest
  @CsvSource({
    "1, container's seccomp profile",
    "38, a kernel of 5.6 or newer",
    "12, ulimit -l",
    "24, ulimit -n"
  })
  void withoutPermissionForARingThreadsRead(int errno, String remedy) throws Exception {
    int call = RefusedSystemCall.IO_URING_SETUP;
    ChildProcess.Result result =
        run(List.of(), List.of(), DEPTH, Integer.toString(call), Integer.toString(errno));
    assertFellBack(result, "io_uring_queue_init failed with errno " + errno, remedy);
  }

  @Test
  void withoutPermissionToRegisterFilesThreadsRead() throws Exception {
    int call = RefusedSystemCall.IO_URING_REGISTER;
    ChildProcess.Result result = run(List.of(), List.of(), DEPTH, Integer.toString(call), "1");
    assertFellBack(result, "io_uring_register_files failed with errno 1", "seccomp profile");
  }

  /** Enough for the files of the table, but not for each a second time, as a ring opens them. */
  @Test
  void withTooFewOpenFilesTheLimitIsNamed() throws Exception {
    RestrictedReads.data()
        .publish(other, WriterOptions.builder().layout(Layout.BLOCKED).partitions(128).build());
    ChildProcess.Result result =
        run(other, List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh"), List.of(), DEPTH);
    assertFellBack(result, "open failed with errno 24: file=" + other, "(ulimit -n");
    assertThat(logged(result)).singleElement().asString().endsWith(", now 256");
  }

  @Test
  void withoutMemoryForTheBuffersOfARingThreadsRead() throws Exception {
    ChildProcess.Result result = run(List.of(), List.of("-XX:MaxDirectMemorySize=4m"), "4096");
    assertFellBack(result, "direct buffer memory", "limit: 4194304");
  }

  /** Kernels differ in whether the ring itself counts as locked memory. */
  @Test
  void withoutLockedMemoryTheLimitIsNamed() throws Exception {
    ChildProcess.Result result = run(lockedMemory(0), List.of(), DEPTH);
    assertThat(logged(result)).singleElement().asString().contains("(ulimit -l)");
    assertThat(result.with("effective access: "))
        .singleElement()
        .asString()
        .containsPattern("instead of IO_URING|without registered buffers")
        .contains("(ulimit -l)");
  }

  /** Enough for the ring, but not for the buffers of 128 reads. */
  @Test
  void withLittleLockedMemoryTheRingReadsIntoPlainBuffers() throws Exception {
    ChildProcess.Result result = run(lockedMemory(128), List.of(), "128");
    assertThat(logged(result))
        .singleElement()
        .asString()
        .contains("INFO", "IO_URING without registered buffers; raise", "(ulimit -l) (errno 12)");
    assertThat(result.with("effective access: "))
        .containsExactly(
            "effective access: IO_URING without registered buffers; raise the limit on locked memory (ulimit -l)");
  }

  /** Root may lock memory beyond the limit, unless it loses the right to. */
  private static List<String> lockedMemory(int kibibytes) throws IOException {
    List<String> command = new ArrayList<>();
    if (Files.getOwner(Path.of("/proc/self")).getName().equals("root")) {
      command.addAll(List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"));
    }
    command.addAll(List.of("sh", "-c", "ulimit -l " + kibibytes + " && exec \"$@\"", "sh"));
    return command;
  }
}
