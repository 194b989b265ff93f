package io.bsdb.http.wire;

import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jetty as this service uses it: listens, and hands requests to a handler. */
public final class JettyServer {
  private static final Logger LOG = LoggerFactory.getLogger(JettyServer.class);
  private static final Duration TLS_REFRESH = Duration.ofSeconds(10);

  private final Server server;
  private final Connections connections;
  private final ScheduledThreadPoolExecutor timer;
  private final @Nullable Tls tls;

  public JettyServer(Limits limits, int threads, @Nullable Tls tls) {
    this.tls = tls;
    timer = new ScheduledThreadPoolExecutor(1, JettyServer::timerThread);
    timer.setRemoveOnCancelPolicy(true);
    QueuedThreadPool pool = new QueuedThreadPool(threads);
    pool.setName("bsdb-http");
    server = new Server(pool);
    // A thread per processor, as these answer most requests, and most threads for the others.
    int selectors = Math.max(1, Math.min(Runtime.getRuntime().availableProcessors(), threads / 4));
    connections = new Connections(server, limits, selectors, tls);
    server.addConnector(connections);
    server.setStopTimeout(limits.drain().toMillis());
  }

  private static Thread timerThread(Runnable tasks) {
    Thread thread = new Thread(tasks, "bsdb-http-timer");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Begins to listen; after a failure nothing of it is left.
   *
   * @param errors answers what Jetty refuses
   */
  public void start(String host, int port, Handler handler, Request.Handler errors)
      throws IOException {
    connections.setHost(host);
    connections.setPort(port);
    server.setHandler(connections.noting(new GracefulHandler(handler)));
    server.setErrorHandler(errors);
    try {
      server.start();
    } catch (IOException | RuntimeException e) {
      stop();
      if (e.getCause() instanceof BindException cause) {
        throw new IOException(
            "cannot listen at %s, port %d: %s; choose another address or port"
                .formatted(host, port, cause.getMessage()),
            e);
      }
      throw e;
    } catch (Exception e) {
      stop();
      throw new IOException(e);
    }
    every(connections.checkInterval(), connections::check);
    if (tls != null) {
      every(TLS_REFRESH, tls::refresh);
    }
  }

  /** Repeats a task in threads for which no other task waits, one run at a time. */
  public void repeat(Duration interval, Runnable task) {
    AtomicBoolean running = new AtomicBoolean();
    every(
        interval,
        () -> {
          if (running.compareAndSet(false, true)) {
            server
                .getThreadPool()
                .execute(
                    () -> {
                      try {
                        task.run();
                      } finally {
                        running.set(false);
                      }
                    });
          }
        });
  }

  private void every(Duration interval, Runnable task) {
    var unused =
        timer.scheduleWithFixedDelay(
            task, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns the timer of the server, whose tasks have to be short. */
  public ScheduledExecutorService timer() {
    return timer;
  }

  /** Returns how many connections are open. */
  public int connectionCount() {
    return connections.getConnectedEndPoints().size();
  }

  public int port() {
    return connections.getLocalPort();
  }

  public boolean hasTls() {
    return tls != null;
  }

  /** Takes over certificates that have changed. */
  public void refreshTls() {
    if (tls != null) {
      tls.refresh();
    }
  }

  /** Refuses requests, waits for those in flight, and closes all connections. */
  public void stop() {
    try {
      server.stop();
    } catch (Exception e) {
      // what is left of requests that did not end in time
      LOG.warn("not all requests ended in time", e);
    }
    timer.shutdownNow();
  }
}
