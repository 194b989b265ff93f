package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.testkit.ChildProcess;
import io.bsdb.writer.BuildWorker;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Builds with the heap and the direct memory of a task manager of Flink with default settings,
 * which has 64 MiB of direct memory left when batch shuffles have taken theirs.
 */
@Timeout(300)
class LittleMemoryBuildTest {
  private static final List<String> TASK_MANAGER =
      List.of(
          "-Xmx512m",
          "-XX:MaxDirectMemorySize=256m",
          "-XX:ActiveProcessorCount=4",
          "-XX:TieredStopAtLevel=4"); // millions of records

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    // writers, partitions, bytes per partition, bytes per value, layout
    "1, 2, 54000000, 2000, BLOCKED",
    "1, 2, 54000000, 20000000, COMPRESSED",
    "4, 4, 13700000, 2000, COMPRESSED",
    "4, 4, 13700000, 8, COMPACT"
  })
  void buildsWhatATaskManagerIsGiven(
      int writers, int partitions, int partitionBytes, int valueLength, Layout layout)
      throws Exception {
    int records = (int) ((long) partitions * partitionBytes / (valueLength + 12));
    assertBuilt(
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                TASK_MANAGER,
                Builds.class,
                directory.toString(),
                Integer.toString(192 << 20),
                Integer.toString(writers),
                Integer.toString(partitions),
                Integer.toString(records),
                Integer.toString(valueLength),
                layout.name())),
        records);
  }

  private void assertBuilt(ChildProcess.Result result, int records) throws IOException {
    assertThat(result.status()).as("%s", result.lines()).isZero();
    String version = Table.at(directory).requireCurrentVersion();
    Manifest manifest = SnapshotVerifier.verify(directory.resolve("snapshots").resolve(version));
    assertThat(manifest.recordCount()).isEqualTo(records);
  }

  /** A heap that holds no partition of four million records. */
  @Test
  void saysWhatToDoIfThereIsTooLittle() throws Exception {
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                List.of("-Xmx64m"),
                Builds.class,
                directory.toString(),
                "1",
                "1",
                "1",
                "4000000",
                "8",
                "BLOCKED"));
    assertThat(result.status()).isNotZero();
    assertThat(String.join("\n", result.lines()))
        .containsPattern(
            "java.io.IOException: not enough memory to build a partition: partition=0 of 1 with 4000000 records and 72000000 bytes,"
                + " heap<=\\d+ bytes \\(-Xmx\\), direct memory<=\\d+ bytes"
                + " \\(-XX:MaxDirectMemorySize\\): Java heap space;"
                + " use more partitions, or raise the limit");
  }

  /** Several writers at a time, as tasks of one process. */
  static final class Builds {
    private Builds() {}

    public static void main(String[] arguments) throws Exception {
      Path directory = Path.of(arguments[0]);
      ByteBuffer ofOthers = ByteBuffer.allocateDirect(Integer.parseInt(arguments[1]));
      int writers = Integer.parseInt(arguments[2]);
      int partitions = Integer.parseInt(arguments[3]);
      int records = Integer.parseInt(arguments[4]);
      int valueLength = Integer.parseInt(arguments[5]);
      WriterOptions options =
          WriterOptions.builder()
              .memoryBytes(256 << 20)
              .partitions(partitions)
              .layout(Layout.valueOf(arguments[6]))
              .build();
      Table table = Table.at(directory);
      Build build = table.begin();
      List<BuildWorker> all = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        Path temporary = directory.resolve("tmp-" + i);
        all.add(BuildWorker.create(table, build, partitions, "w" + i, temporary, options));
      }
      byte[] value = new byte[valueLength];
      for (int i = 0; i < records; i++) {
        byte[] key = ByteBuffer.allocate(8).putLong(i).array();
        ByteBuffer.wrap(value).putLong(0, i * 0x9E3779B97F4A7C15L);
        long high = KeyHash.hash(key).getMostSignificantBits();
        int partition = new Partitioning(partitions).partition(high);
        all.get(partition * writers / partitions).add(key, value);
      }
      SnapshotPublisher.publish(table, build, partitions, finish(all), options);
      if (ofOthers.get(0) != 0) {
        throw new IllegalStateException();
      }
    }

    private static List<PartitionFile> finish(List<BuildWorker> writers) throws Exception {
      ExecutorService tasks =
          Executors.newFixedThreadPool(writers.size(), task -> new Thread(task, "task"));
      try {
        List<Callable<List<PartitionFile>>> finishing = new ArrayList<>();
        for (BuildWorker writer : writers) {
          finishing.add(writer::finish);
        }
        List<PartitionFile> files = new ArrayList<>();
        for (Future<List<PartitionFile>> finished : tasks.invokeAll(finishing)) {
          files.addAll(finished.get());
        }
        for (BuildWorker writer : writers) {
          writer.close();
        }
        return files;
      } finally {
        tasks.shutdownNow();
      }
    }
  }
}
