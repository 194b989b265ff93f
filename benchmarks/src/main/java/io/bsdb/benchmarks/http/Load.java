package io.bsdb.benchmarks.http;

import io.bsdb.benchmarks.harness.Results.Row;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * One client thread with several connections, each of which asks again as soon as it has its
 * answer. The same for every contender.
 */
final class Load {
  private static final int CONNECTIONS = 16;

  static final String KEYS = "requests or keys per second";

  /**
   * Makes requests, whose answers must hold certain values.
   *
   * @param keys of a request
   * @param request the request for keys with some numbers
   */
  record Contender(
      String name, Protocol protocol, int port, int keys, Function<int[], byte[]> request) {}

  private static final class Connection {
    final SocketChannel channel;
    final ByteBuffer in = ByteBuffer.allocate(64 << 10);
    int[] numbers = {};
    long begun;

    Connection(SocketChannel channel) {
      this.channel = channel;
    }
  }

  private Load() {}

  /** Asks for a time, and adds figures to a row. */
  static void run(Contender contender, int records, long nanos, Random random, Row row)
      throws IOException {
    Histogram times = new Histogram(60_000_000_000L, 3);
    long answers = 0;
    try (Selector selector = Selector.open()) {
      for (int i = 0; i < CONNECTIONS; i++) {
        SocketChannel channel =
            SocketChannel.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), contender.port()));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        Connection connection = new Connection(channel);
        channel.register(selector, SelectionKey.OP_READ, connection);
        ask(contender, connection, records, random);
      }
      long begin = System.nanoTime();
      long end = begin + nanos;
      long now = begin;
      while (now < end) {
        selector.select(1000);
        for (SelectionKey key : selector.selectedKeys()) {
          Connection connection = (Connection) key.attachment();
          if (connection.channel.read(connection.in) < 0) {
            throw new IOException("the connection was closed: " + contender.name());
          }
          int length = contender.protocol().end(connection.in);
          if (length > 0) {
            times.recordValue(System.nanoTime() - connection.begun);
            check(contender, connection);
            answers++;
            ask(contender, connection, records, random);
          }
        }
        selector.selectedKeys().clear();
        now = System.nanoTime();
      }
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      row.add(KEYS, answers * Math.max(1, contender.keys()) * 1e9 / (now - begin));
      row.add("p50, µs", times.getValueAtPercentile(50) / 1e3);
      row.add("p99, µs", times.getValueAtPercentile(99) / 1e3);
    }
  }

  private static void ask(Contender contender, Connection connection, int records, Random random)
      throws IOException {
    int[] numbers = new int[contender.keys()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = random.nextInt(records);
    }
    connection.numbers = numbers;
    connection.in.clear();
    ByteBuffer request = ByteBuffer.wrap(contender.request().apply(numbers));
    connection.begun = System.nanoTime();
    while (request.hasRemaining()) {
      connection.channel.write(request);
    }
  }

  /** Every value begins with the number of its key, after {@code n}: they must come in order. */
  private static void check(Contender contender, Connection connection) throws IOException {
    int at = contender.protocol().body(connection.in);
    byte[] bytes = connection.in.array();
    for (int number : connection.numbers) {
      byte[] wanted = Records.mark(number);
      at = at < 0 ? -1 : find(bytes, at, connection.in.position(), wanted);
      if (at < 0) {
        throw new IOException(
            "wrong answer of %s to key %d: %s"
                .formatted(
                    contender.name(),
                    number,
                    new String(bytes, 0, connection.in.position(), StandardCharsets.ISO_8859_1)));
      }
      at += wanted.length;
    }
  }

  private static int find(byte[] bytes, int from, int to, byte[] wanted) {
    for (int i = from; i + wanted.length <= to; i++) {
      int k = 0;
      while (k < wanted.length && bytes[i + k] == wanted[k]) {
        k++;
      }
      if (k == wanted.length) {
        return i;
      }
    }
    return -1;
  }
}
