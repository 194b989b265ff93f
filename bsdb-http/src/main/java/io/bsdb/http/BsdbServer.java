package io.bsdb.http;

import io.bsdb.format.io.Closing;
import io.bsdb.http.api.Health;
import io.bsdb.http.api.Metrics;
import io.bsdb.http.exchange.AccessLog;
import io.bsdb.http.exchange.AccessRules;
import io.bsdb.http.exchange.ProblemHandler;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.http.table.Warehouse;
import io.bsdb.http.wire.JettyServer;
import io.bsdb.http.wire.Limits;
import io.bsdb.http.wire.Tls;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Serves lookups in tables over HTTP, and pages that show what the tables hold; {@code
 * docs/http.md} lists the addresses. Read-only: nothing that a client sends changes a table.
 *
 * <p>Follows its tables. {@link #close} refuses new requests, lets those in flight end, and closes
 * the tables last.
 */
public final class BsdbServer implements Closeable {
  private static final Duration OPEN_REST = Duration.ofSeconds(10);

  private final Service service;
  private final JettyServer server;
  private final String host;
  private boolean closed;

  private BsdbServer(Service service, JettyServer server, String host) {
    this.service = service;
    this.server = server;
    this.host = host;
  }

  /** Returns a builder of a server on a loopback address, with a port that the system picks. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects settings. Not safe for several threads. */
  public static final class Builder {
    private final Map<String, Path> tables = new LinkedHashMap<>();
    private final Map<String, Path> warehouse = new LinkedHashMap<>();
    private final Set<String> hosts = new HashSet<>();
    private ReaderOptions options = ReaderOptions.defaults();
    private Duration refreshInterval = TableReader.REFRESH_INTERVAL;
    private TableReader.Listener listener = TableReader.Listener.NONE;
    private Limits limits = Limits.of(Map.of());
    private String host = "127.0.0.1";
    private int port;
    private int threads = 64;
    private boolean insecure;
    private @Nullable String token;
    private @Nullable Path certificates;
    private @Nullable Path key;
    private @Nullable Duration maxAge;
    private @Nullable OutputStream log;
    private boolean logKeys;

    private Builder() {}

    /**
     * Adds a table.
     *
     * @param name its part of addresses: letters, digits, {@code _}, {@code .} and {@code -}, at
     *     most 64 and not only dots
     */
    public Builder table(String name, Path directory) {
      ServedTable.requireName(name);
      if (tables.putIfAbsent(name, directory) != null) {
        throw new IllegalArgumentException("two tables have the name '%s'".formatted(name));
      }
      return this;
    }

    /**
     * Adds the tables that are in a directory now, under the names of their directories; those one
     * level deeper as {@code DATABASE.TABLE}. One that cannot be served does not keep the others
     * from it: it makes the server not ready, and is opened as soon as it can be.
     */
    public Builder warehouse(Path directory) throws IOException {
      Warehouse.tables(directory).forEach(warehouse::putIfAbsent);
      return this;
    }

    /** Sets how tables are read. */
    public Builder options(ReaderOptions value) {
      options = value;
      return this;
    }

    /** Sets how often to look for newer versions; every 10 seconds by default, zero for never. */
    public Builder refreshEvery(Duration value) {
      refreshInterval = value;
      return this;
    }

    /** Sets the listener for new versions. */
    public Builder listener(TableReader.Listener value) {
      listener = value;
      return this;
    }

    /**
     * Sets limits by name, such as {@code keys} or {@code request-millis}; those that are left out
     * have their defaults. {@code docs/http.md} lists them.
     *
     * @throws IllegalArgumentException if a name is unknown or a value is less than 1
     */
    public Builder limits(Map<String, Integer> values) {
      limits = Limits.of(values);
      return this;
    }

    /** Sets the address to listen at; 127.0.0.1 by default. */
    public Builder host(String value) {
      host = value;
      return this;
    }

    /** Sets the port; 0, the default, for one that the system picks. */
    public Builder port(int value) {
      if (value < 0 || value > 65_535) {
        throw new IllegalArgumentException("port: expected 0 to 65535, actual " + value);
      }
      port = value;
      return this;
    }

    /** Sets the most threads that serve requests. */
    public Builder threads(int value) {
      threads = value;
      return this;
    }

    /** Adds a name that the server is known by to its clients, as in their {@code Host} header. */
    public Builder allowHost(String value) {
      hosts.add(value.toLowerCase(Locale.ROOT));
      return this;
    }

    /** Sets the token that clients must send. */
    public Builder token(String value) {
      if (value.isBlank()) {
        throw new IllegalArgumentException("the token is empty");
      }
      token = value;
      return this;
    }

    /** Serves addresses other than loopback without a token, or a token without TLS. */
    public Builder insecure() {
      insecure = true;
      return this;
    }

    /** Sets certificate chain and key, PEM files that are read again when they change. */
    public Builder tls(Path certificateFile, Path keyFile) {
      certificates = certificateFile;
      key = keyFile;
      return this;
    }

    /** Sets the age from which on a version in service makes the server not ready. */
    public Builder maxAge(Duration value) {
      maxAge = value;
      return this;
    }

    /** Writes a line of JSON per request, without keys. */
    public Builder accessLog(OutputStream value) {
      log = value;
      return this;
    }

    /** Writes keys to the access log, too. */
    public Builder logKeys() {
      logKeys = true;
      return this;
    }

    private Router router(Service service, JettyServer server) {
      AccessRules rules = new AccessRules(host, hosts, token);
      return new Router(
          service,
          new Health(service, rules, maxAge),
          rules,
          new Metrics(
              service.tables(), options.memory(), server::connectionCount, service.pinned()::count),
          log == null ? null : new AccessLog(log, logKeys),
          server.timer());
    }

    private @Nullable Tls tls() throws IOException {
      return certificates == null || key == null ? null : new Tls(certificates, key);
    }

    /**
     * Opens the tables and starts to serve.
     *
     * @throws IllegalArgumentException if there is no table, or if other machines could read what
     *     they should not
     * @throws IOException if a table cannot be opened, or the address cannot be listened at
     */
    public BsdbServer start() throws IOException {
      if (tables.isEmpty() && warehouse.isEmpty()) {
        throw new IllegalArgumentException("there is no table to serve");
      }
      if (!insecure) {
        AccessRules.requireSafe(host, token, certificates != null);
      }
      Service service =
          new Service(
              (name, directory) ->
                  ServedTable.open(name, directory, options, refreshInterval, listener),
              listener,
              limits);
      try {
        for (Map.Entry<String, Path> table : tables.entrySet()) {
          service.open(table.getKey(), table.getValue());
        }
        warehouse.keySet().removeAll(tables.keySet());
        warehouse.forEach(service::openLater);
        service.openRest();
        JettyServer server = new JettyServer(limits, threads, tls());
        server.start(host, port, router(service, server), new ProblemHandler());
        server.repeat(OPEN_REST, service::openRest);
        return new BsdbServer(service, server, host);
      } catch (IOException | RuntimeException | Error e) {
        Closing.after(e, service);
        throw e;
      }
    }
  }

  /** Returns where the server answers, such as {@code http://127.0.0.1:8080/}. */
  public URI address() {
    String name = host.contains(":") ? "[" + host + "]" : host;
    return URI.create(
        (server.hasTls() ? "https://" : "http://") + name + ":" + server.port() + "/");
  }

  /** Takes over certificates that have changed. */
  void refreshTls() {
    server.refreshTls();
  }

  /** Looks for newer versions of all tables now, and for tables that could not be opened. */
  void refresh() throws IOException {
    service.openRest();
    for (ServedTable table : service.tables()) {
      table.reader().refresh();
    }
  }

  /**
   * Stops: answers that it is not ready, refuses new requests, waits for those in flight as long as
   * limit {@code drain-millis} allows, and closes the tables. Idempotent.
   */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    service.beginStop();
    server.stop();
    service.close();
  }
}
