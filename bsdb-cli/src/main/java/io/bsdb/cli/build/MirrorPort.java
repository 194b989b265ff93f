package io.bsdb.cli.build;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Answers over HTTP how a mirror is doing. */
final class MirrorPort implements Closeable {
  private static final String JSON = "application/json";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final HttpServer server;

  private MirrorPort(HttpServer server) {
    this.server = server;
  }

  /**
   * Begins to answer.
   *
   * @param port 0 for any
   */
  static MirrorPort open(String host, int port, MirrorState state) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getByName(host), port), 0);
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
    return new MirrorPort(server);
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
    return "http://%s:%d"
        .formatted(host.contains(":") ? "[" + host + "]" : host, address.getPort());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
