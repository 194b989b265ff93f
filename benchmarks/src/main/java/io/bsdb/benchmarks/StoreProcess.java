package io.bsdb.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.Results.Latency;
import io.bsdb.benchmarks.StoreRun.Asked;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.JavaCommand;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import io.bsdb.benchmarks.peers.Store;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A store that is open in a process of its own and answers when it is asked, one line to a line. So
 * neither compiled code nor garbage of one store is in another's way, and each is as alone as in a
 * program that uses no other.
 */
final class StoreProcess implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** For values that are looked up, and for what stores need beside records and caches. */
  private static final long HEAP_BYTES = 512L << 20;

  /** Of each query of each kind: key, digest and place in a list. */
  private static final long QUERY_BYTES = 64L * StoreRun.Asked.values().length;

  private static final String PRE_TOUCH = "-XX:+AlwaysPreTouch";
  private static final String READY = "ready";
  private static final String DONE = "done";

  private final Peer peer;
  private final int length;
  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  private StoreProcess(Peer peer, int length, Process process) {
    this.peer = peer;
    this.length = length;
    this.process = process;
    this.in = process.outputWriter(StandardCharsets.UTF_8);
    this.out = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts one; it is open when this returns. See {@link StoreRun} for rounds and length. */
  static StoreProcess start(Sources sources, Peer peer, int rounds, int length) throws IOException {
    List<String> command =
        JavaCommand.of(
            heap(
                heapBytes(
                    peer,
                    sources.records().workload().records(),
                    StoreRun.queries(rounds, length))),
            StoreProcess.class,
            sources.data().toString(),
            Long.toString(sources.records().workload().records()),
            peer.name(),
            Integer.toString(rounds),
            Integer.toString(length));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    StoreProcess started = new StoreProcess(peer, length, process);
    try {
      started.read();
    } catch (IOException e) {
      process.destroy();
      throw e;
    }
    return started;
  }

  /** Bytes of the heap that a store's process gets. */
  static long heapBytes(Peer peer, long records, int queries) {
    return HEAP_BYTES
        + QUERY_BYTES * queries
        + peer.cacheBytes()
        + peer.cacheBytes() / 4
        + peer.heapBytes(records);
  }

  /**
   * A heap whose memory the process has from the start. Else the values that a store copies are the
   * first to touch it, for hundreds of nanoseconds each, until it has been collected once.
   */
  private static List<String> heap(long bytes) {
    return List.of(PRE_TOUCH, "-Xms" + bytes, "-Xmx" + bytes);
  }

  String name() {
    return peer.name();
  }

  private String read() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException(
          "the process of %s ended; what went wrong stands above".formatted(peer.name()));
    }
    return line;
  }

  private String ask(String question) throws IOException {
    in.write(question + "\n");
    in.flush();
    return read();
  }

  void prepare(Asked asked) throws IOException {
    ask("prepare " + asked);
  }

  /** Nanoseconds per key. */
  double measure(String way, Asked asked, int round) throws IOException {
    return Double.parseDouble(ask(way + " " + asked + " " + round)) / length;
  }

  List<Latency> latencies() throws IOException {
    return JSON.readValue(ask("quantiles"), new TypeReference<>() {});
  }

  @Override
  public void close() throws IOException {
    try {
      in.close();
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroy();
    }
  }

  /** The process itself. Arguments: data directory, records, name of the peer, rounds, length. */
  public static void main(String[] arguments) throws Exception {
    // Answers alone go to standard output, whatever libraries print.
    PrintStream answers = System.out;
    System.setOut(System.err);
    Path data = Path.of(arguments[0]);
    RecordFile records = RecordFile.of(data, new Workload(Long.parseLong(arguments[1])));
    Peer peer = Peers.named(List.of(arguments[2])).get(0);
    int rounds = Integer.parseInt(arguments[3]);
    int length = Integer.parseInt(arguments[4]);
    try (Store store = peer.open(records, BuildProcess.directory(peer, records, data));
        BufferedReader questions =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      StoreRun run = new StoreRun(store, records.workload(), rounds, length);
      answers.println(READY);
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        answers.println(answer(run, List.of(line.split(" "))));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static String answer(StoreRun run, List<String> question) throws Exception {
    String way = question.get(0);
    if (way.equals("quantiles")) {
      return JSON.writeValueAsString(run.latencies());
    }
    Asked asked = Asked.valueOf(question.get(1));
    if (way.equals("prepare")) {
      run.prepare(asked);
      return DONE;
    }
    int round = Integer.parseInt(question.get(2));
    long nanos =
        switch (way) {
          case "get" -> run.get(asked, round);
          case "getAll" -> run.getAll(asked, round);
          case "latency" -> run.latencies(asked, round);
          default -> run.threads(asked, round, Integer.parseInt(way));
        };
    return Long.toString(nanos);
  }
}
