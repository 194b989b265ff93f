package io.bsdb.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens, and hands requests to a {@link Router}: Jetty as this service uses it. */
final class JettyServer {
  private static final Logger LOG = LoggerFactory.getLogger(JettyServer.class);
  private static final Duration TLS_REFRESH = Duration.ofSeconds(10);
  private static final Duration OPEN_REST = Duration.ofSeconds(10);

  private final Service service;
  private final Server server;
  private final Connections connections;
  private final ScheduledThreadPoolExecutor timer;
  private final AtomicBoolean opening = new AtomicBoolean();
  private final @Nullable Tls tls;

  JettyServer(
      Service service, AccessRules rules, int threads, @Nullable Tls tls, @Nullable AccessLog log) {
    Limits limits = service.limits();
    this.service = service;
    this.tls = tls;
    timer = new ScheduledThreadPoolExecutor(1, JettyServer::timerThread);
    timer.setRemoveOnCancelPolicy(true);
    QueuedThreadPool pool = new QueuedThreadPool(threads);
    pool.setName("bsdb-http");
    server = new Server(pool);
    connections = new Connections(server, limits, tls);
    server.addConnector(connections);
    Metrics metrics =
        new Metrics(
            service.tables(),
            () -> connections.getConnectedEndPoints().size(),
            () -> service.pinned().count());
    server.setHandler(
        connections.noting(new GracefulHandler(new Router(service, rules, metrics, log, timer))));
    server.setErrorHandler(new ProblemHandler());
    server.setStopTimeout(limits.drain().toMillis());
  }

  private static Thread timerThread(Runnable tasks) {
    Thread thread = new Thread(tasks, "bsdb-http-timer");
    thread.setDaemon(true);
    return thread;
  }

  /** Begins to listen; after a failure nothing of it is left. */
  void start(String host, int port) throws IOException {
    connections.setHost(host);
    connections.setPort(port);
    try {
      server.start();
    } catch (IOException | RuntimeException e) {
      stop();
      throw e;
    } catch (Exception e) {
      stop();
      throw new IOException(e);
    }
    every(connections.checkInterval(), connections::check);
    every(OPEN_REST, this::openRest);
    if (tls != null) {
      every(TLS_REFRESH, tls::refresh);
    }
  }

  /** Opens tables that could not be opened, in a thread that others do not wait for. */
  private void openRest() {
    if (!service.unopened().isEmpty() && opening.compareAndSet(false, true)) {
      server
          .getThreadPool()
          .execute(
              () -> {
                try {
                  service.openRest();
                } finally {
                  opening.set(false);
                }
              });
    }
  }

  private void every(Duration interval, Runnable task) {
    var unused =
        timer.scheduleWithFixedDelay(
            task, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  int port() {
    return connections.getLocalPort();
  }

  boolean hasTls() {
    return tls != null;
  }

  /** Takes over certificates that have changed. */
  void refreshTls() {
    if (tls != null) {
      tls.refresh();
    }
  }

  /** Refuses requests, waits for those in flight, and closes all connections. */
  void stop() {
    try {
      server.stop();
    } catch (Exception e) {
      // what is left of requests that did not end in time
      LOG.warn("not all requests ended in time", e);
    }
    timer.shutdownNow();
  }
}
