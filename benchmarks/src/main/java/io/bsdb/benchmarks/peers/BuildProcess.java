package io.bsdb.benchmarks.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.Directories;
import io.bsdb.benchmarks.ProcessStatus;
import io.bsdb.benchmarks.RecordFile;
import io.bsdb.benchmarks.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Builds a peer's files in a virtual machine of its own, so that neither its memory nor its
 * compiled code mixes with that of others.
 */
public final class BuildProcess {
  private static final ObjectMapper JSON = new ObjectMapper();

  private BuildProcess() {}

  /**
   * What a build took.
   *
   * @param seconds from the first record read to all files on disk
   * @param recordsPerSecond the same as a rate
   * @param peakMemoryBytes of the process, mapped files included; −1 if not known
   * @param peakAnonymousBytes the same without mapped files, by a look every 20 ms
   * @param bytesOnDisk of all files left
   * @param bytesPerRecord of these
   * @param heap of the process, as {@code -Xmx} takes it
   * @param date when it was built
   */
  public record Cost(
      double seconds,
      double recordsPerSecond,
      long peakMemoryBytes,
      long peakAnonymousBytes,
      long bytesOnDisk,
      double bytesPerRecord,
      String heap,
      String date) {}

  /**
   * Builds, or returns what the build took that left its files in the directory before, with as
   * much heap.
   */
  public static Cost run(Peer peer, RecordFile records, Path data, String heap)
      throws IOException, InterruptedException {
    Path directory = directory(peer, records, data);
    Path done = done(peer, records, data);
    if (Files.exists(done)) {
      Cost cost = JSON.readValue(done.toFile(), Cost.class);
      if (heap.equals(cost.heap())) {
        return cost;
      }
    }
    forget(peer, records, data);
    Directories.delete(directory);
    JavaCommand.run(
        List.of("-Xmx" + heap),
        BuildProcess.class,
        peer.files(),
        data.toString(),
        Long.toString(records.workload().records()),
        heap);
    return JSON.readValue(done.toFile(), Cost.class);
  }

  /** Where the cost of a finished build is. */
  private static Path done(Peer peer, RecordFile records, Path data) {
    return data.resolve(directory(peer, records, data).getFileName() + ".json");
  }

  /** Whether a peer's files are there. */
  public static boolean isBuilt(Peer peer, RecordFile records, Path data) {
    return Files.exists(done(peer, records, data));
  }

  /** Has the next call of {@link #run} build anew. */
  public static void forget(Peer peer, RecordFile records, Path data) throws IOException {
    Files.deleteIfExists(done(peer, records, data));
  }

  /** Where a peer's files are. */
  public static Path directory(Peer peer, RecordFile records, Path data) {
    return data.resolve(peer.files() + "-" + records.workload().records());
  }

  /** Arguments: name of the files, data directory, records, what is known as the heap. */
  public static void main(String[] arguments) throws IOException {
    Peer peer = Peers.withFiles(arguments[0]);
    Path data = Path.of(arguments[1]);
    RecordFile records = RecordFile.of(data, new Workload(Long.parseLong(arguments[2])));
    Path directory = directory(peer, records, data);
    Files.createDirectories(directory);
    Peak anonymous = Peak.watch();
    long start = System.nanoTime();
    peer.build(records, directory);
    double seconds = (System.nanoTime() - start) / 1e9;
    long count = records.workload().records();
    long bytes = Directories.size(directory);
    Cost cost =
        new Cost(
            seconds,
            count / seconds,
            ProcessStatus.bytes("VmHWM"),
            anonymous.end(),
            bytes,
            (double) bytes / count,
            arguments[3],
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    JSON.writeValue(done(peer, records, data).toFile(), cost);
  }

  /** Looks again and again at the memory of this process that is no file's. */
  private static final class Peak extends Thread {
    private volatile boolean ended;
    private long most = -1;

    private Peak() {
      super("bench-peak");
    }

    static Peak watch() {
      Peak peak = new Peak();
      peak.setDaemon(true);
      peak.start();
      return peak;
    }

    @Override
    public void run() {
      try {
        while (!ended) {
          most = Math.max(most, ProcessStatus.bytes("RssAnon"));
          Thread.sleep(20);
        }
      } catch (IOException | InterruptedException e) {
        most = -1;
      }
    }

    long end() {
      ended = true;
      try {
        join();
      } catch (InterruptedException e) {
        currentThread().interrupt();
      }
      return most;
    }
  }
}
