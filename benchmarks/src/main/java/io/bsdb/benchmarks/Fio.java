package io.bsdb.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The fio program: the disk's rate of 4 KiB random reads. */
final class Fio {
  private Fio() {}

  static boolean isInstalled() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "fio")));
  }

  /**
   * Reads per second from files past the page cache, each as often as the others.
   *
   * @param engine {@code io_uring} or {@code psync}
   * @param depth reads in flight in each job
   * @param jobs threads
   */
  static double readsPerSecond(List<Path> files, String engine, int depth, int jobs, int seconds)
      throws IOException, InterruptedException {
    String options =
        "--name=read --readonly --rw=randread --bs=4k --direct=1 --file_service_type=random"
            + " --thread --group_reporting --time_based --output-format=json"
            + " --runtime=%d --ioengine=%s --iodepth=%d --numjobs=%d";
    List<String> command = new ArrayList<>(List.of("fio", "--filename=" + names(files)));
    command.addAll(List.of(options.formatted(seconds, engine, depth, jobs).split(" ", -1)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    JsonNode output;
    try (InputStream in = process.getInputStream()) {
      output = new ObjectMapper().readTree(in);
    }
    int status = process.waitFor();
    if (status != 0) {
      throw new IOException("fio failed with status " + status);
    }
    return output.path("jobs").path(0).path("read").path("iops").asDouble();
  }

  private static String names(List<Path> files) {
    return files.stream()
        .map(file -> file.toString().replace(":", "\\:"))
        .collect(Collectors.joining(":"));
  }
}
