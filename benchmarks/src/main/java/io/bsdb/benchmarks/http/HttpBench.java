package io.bsdb.benchmarks.http;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.http.Load.Contender;
import io.bsdb.http.BsdbServer;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/** Compares lookups over HTTP with a constant answer and with Redis. */
public final class HttpBench {
  private static final int BATCH = 64;
  private static final String BYTES = "application/octet-stream";

  private HttpBench() {}

  /** Runs the comparison. */
  public static List<Section> run(int records, int seconds, int rounds) throws Exception {
    long nanos = TimeUnit.SECONDS.toNanos(seconds);
    Path directory = Files.createTempDirectory("bsdb-http-bench");
    Path bytes = directory.resolve("bytes");
    Records.publishBytes(bytes, records);
    Records.publishRows(directory.resolve("rows"), records);
    int redisPort = freePort();
    Process redis = startRedis(directory, redisPort);
    try (JavaProcess server = JavaProcess.start(List.of("-Xmx1g"), new Serving(directory))) {
      String[] ports = server.ask("ports").split(" ", -1);
      int mapped = Integer.parseInt(ports[0]);
      int ring = Integer.parseInt(ports[1]);
      int constant = Integer.parseInt(ports[2]);
      fill(redisPort, records);
      List<Contender> contenders = contenders(mapped, ring, constant, redisPort);
      Turns<Contender> turns = new Turns<>(contenders, each -> new Row(each.name(), ""));
      Random random = new Random(1);
      turns.run(
          1, // until all is compiled
          rounds,
          (contender, round, row) ->
              Load.run(contender, records, round < 0 ? 2 * nanos : nanos, random, row));
      List<Row> all = new ArrayList<>(turns.rows());
      all.add(reader(bytes, records, nanos));
      all.addAll(swaps(bytes, contender("swap", mapped, "bytes", BYTES), records, nanos));
      return List.of(
          Section.of("Lookups over HTTP, %,d records".formatted(records), List.of(), all));
    } finally {
      redis.destroy();
      redis.waitFor();
      Directories.delete(directory);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Serves tables mapped and from disk, and a constant of 100 bytes by the same library. */
  record Serving(Path directory) implements Callable<Void> {
    @Override
    public Void call() throws Exception {
      byte[] body = new byte[100];
      Arrays.fill(body, (byte) '-');
      Server constant = new Server(0);
      constant.setHandler(
          new Handler.Abstract.NonBlocking() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
              response.getHeaders().put(HttpHeader.CONTENT_TYPE, BYTES);
              response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
              response.write(true, ByteBuffer.wrap(body), callback);
              return true;
            }
          });
      try (BsdbServer mapped = start(Access.MAPPED);
          BsdbServer ring = start(Access.IO_URING)) {
        constant.start();
        String ports =
            "%d %d %d"
                .formatted(
                    mapped.address().getPort(),
                    ring.address().getPort(),
                    constant.getURI().getPort());
        JavaProcess.converse(question -> ports);
      } finally {
        constant.stop();
      }
      return null;
    }

    private BsdbServer start(Access access) throws IOException {
      return BsdbServer.builder()
          .table("bytes", directory.resolve("bytes"))
          .table("rows", directory.resolve("rows"))
          .options(ReaderOptions.builder().access(access).queueDepth(1024).build())
          .refreshEvery(Duration.ofMillis(200))
          .start();
    }
  }

  /** Starts Redis, and reads what it prints until it takes connections. */
  private static Process startRedis(Path directory, int port) throws IOException {
    List<String> command = new ArrayList<>(List.of("redis-server", "--port", "" + port));
    command.addAll(List.of("--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
    Process redis = new ProcessBuilder(command).directory(directory.toFile()).start();
    BufferedReader messages = redis.inputReader(StandardCharsets.UTF_8);
    String line = messages.readLine();
    while (line != null && !line.contains("Ready to accept connections")) {
      line = messages.readLine();
    }
    if (line == null) {
      throw new IOException("redis ended");
    }
    return redis;
  }

  private static void fill(int port, int records) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      OutputStream out = socket.getOutputStream();
      for (int i = 0; i < records; i++) {
        out.write(command("SET", List.of(Records.key(i), Records.value(i))));
        for (int k = 0; k < 5; k++) { // +OK
          if (socket.getInputStream().read() < 0) {
            throw new IOException("redis ended");
          }
        }
      }
    }
  }

  private static byte[] command(String name, List<byte[]> arguments) {
    StringBuilder text = new StringBuilder();
    text.append("*%d\r\n$%d\r\n%s\r\n".formatted(arguments.size() + 1, name.length(), name));
    for (byte[] argument : arguments) {
      text.append("$%d\r\n".formatted(argument.length))
          .append(new String(argument, StandardCharsets.US_ASCII))
          .append("\r\n");
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static Contender contender(String name, int port, String table, String accept) {
    String key = table.equals("bytes") ? "key-" : "";
    return new Contender(
        name, Protocol.HTTP, port, 1, numbers -> row(table, key, numbers[0], accept));
  }

  private static byte[] row(String table, String prefix, int number, String accept) {
    return "GET /v1/tables/%s/rows/%s%d HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\n\r\n"
        .formatted(table, prefix, number, accept)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static Contender batch(String name, int port) {
    return new Contender(
        name,
        Protocol.HTTP,
        port,
        BATCH,
        numbers -> {
          ByteBuffer body = ByteBuffer.allocate(32 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
          for (int number : numbers) {
            byte[] key = Records.key(number);
            body.putInt(key.length).put(key);
          }
          byte[] head =
              String.join(
                      "\r\n",
                      "POST /v1/tables/bytes/rows:lookup HTTP/1.1",
                      "Host: localhost",
                      "Accept: %s",
                      "Content-Type: %s",
                      "Content-Length: %d\r\n\r\n")
                  .formatted(BYTES, BYTES, body.position())
                  .getBytes(StandardCharsets.US_ASCII);
          return ByteBuffer.allocate(head.length + body.position())
              .put(head)
              .put(body.flip())
              .array();
        });
  }

  private static List<Contender> contenders(int mapped, int ring, int constant, int redis) {
    return List.of(
        new Contender(
            "constant of 100 bytes",
            Protocol.HTTP,
            constant,
            0,
            numbers -> row("bytes", "key-", 123_456, BYTES)),
        contender("row as bytes, mapped", mapped, "bytes", BYTES),
        contender("row of 8 columns as JSON, mapped", mapped, "rows", "application/json"),
        new Contender(
            "Redis GET",
            Protocol.RESP,
            redis,
            1,
            numbers -> command("GET", List.of(Records.key(numbers[0])))),
        batch("64 keys as bytes, mapped", mapped),
        new Contender(
            "Redis MGET of 64",
            Protocol.RESP,
            redis,
            BATCH,
            numbers -> command("MGET", Arrays.stream(numbers).mapToObj(Records::key).toList())),
        batch("64 keys as bytes, io_uring", ring));
  }

  /** The reader alone, with as many batches in flight as the client has connections. */
  private static Row reader(Path table, int records, long nanos) throws IOException {
    ReaderOptions options =
        ReaderOptions.builder().access(Access.IO_URING).queueDepth(1024).build();
    Random random = new Random(2);
    try (AsyncSnapshotReader reader = AsyncSnapshotReader.open(table, options)) {
      List<CompletableFuture<?>> flying = new ArrayList<>();
      long begin = System.nanoTime() + nanos; // until all is compiled
      long keys = 0;
      while (System.nanoTime() - begin < nanos) {
        while (flying.size() < 16) {
          List<byte[]> batch = new ArrayList<>();
          for (int i = 0; i < BATCH; i++) {
            batch.add(Records.key(random.nextInt(records)));
          }
          flying.add(reader.getAll(batch));
        }
        flying.remove(0).join();
        keys += System.nanoTime() < begin ? 0 : BATCH;
      }
      Row row = new Row("64 keys by the reader itself, io_uring", "");
      row.add(Load.KEYS, keys * 1e9 / (System.nanoTime() - begin));
      return row;
    }
  }

  /** The same requests while the version changes. */
  private static List<Row> swaps(Path table, Contender contender, int records, long nanos)
      throws Exception {
    Row during = new Row("row as bytes, while another version is built", "");
    Row swapping = new Row("and while it comes into use", "");
    Workers.run(
        2,
        thread -> {
          if (thread == 0) {
            Records.publishBytes(table, records);
          } else {
            Load.run(contender, records, nanos, new Random(3), during);
          }
          return thread;
        });
    Load.run(contender, records, nanos / 2, new Random(4), swapping);
    return List.of(during, swapping);
  }
}
