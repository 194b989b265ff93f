package io.bsdb.cli.build;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Answers over HTTP how a mirror is doing. */
record MirrorPort(HttpServer server, ExecutorService threads) implements Closeable {
  private static final String JSON = "application/json";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private static final int THREADS = 8;

  /** Seconds that a client may take to send a request, or to read the answer. */
  private static final String MAX_SECONDS = "10";

  static {
    // Read once in a process, by the first server.
    for (String limit : List.of("sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime")) {
      System.getProperties().putIfAbsent(limit, MAX_SECONDS);
    }
  }

  /**
   * Begins to answer.
   *
   * @param port 0 for any
   * @param insecure whether other machines may read: there is no token
   */
  static MirrorPort open(String host, int port, boolean insecure, MirrorState state)
      throws IOException {
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("port: expected 0 to 65535, actual " + port);
    }
    InetAddress address = InetAddress.getByName(host);
    if (!insecure && !address.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "%s is not a loopback address: other machines could read errors and figures of the mirror; --insecure allows it"
              .formatted(host));
    }
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(address, port), 0);
    } catch (BindException e) {
      throw new IOException(
          "cannot listen at %s, port %d: %s; choose another address or port"
              .formatted(host, port, e.getMessage()),
          e);
    }
    ExecutorService threads = Executors.newFixedThreadPool(THREADS, MirrorPort::thread);
    server.setExecutor(threads);
    server.createContext(
        "/health/live", exchange -> answer(exchange, 200, JSON, "{\"status\":\"live\"}\n"));
    server.createContext(
        "/health/ready",
        exchange -> {
          MirrorState.Health health = state.health();
          answer(exchange, health.error() == null ? 200 : 503, JSON, health.json());
        });
    server.createContext(
        "/metrics", exchange -> answer(exchange, 200, PROMETHEUS, state.metrics()));
    server.start();
    return new MirrorPort(server, threads);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "bsdb-mirror-port");
    thread.setDaemon(true);
    return thread;
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** Returns the address as a URL. */
  String address() {
    InetSocketAddress address = server.getAddress();
    String host = address.getAddress().getHostAddress();
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
