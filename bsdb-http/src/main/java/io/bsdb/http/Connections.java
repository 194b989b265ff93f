package io.bsdb.http;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a server, each with what it is waiting for. Jetty's idle timeout starts anew
 * with every byte; here the header of a request and the taking of an answer are limited as a whole.
 * When the server ends, connections without a request are closed at once and the others after their
 * answer.
 */
final class Connections extends ServerConnector {
  private static final int HEADER_BYTES = 8 << 10;

  private final long headerNanos;
  private final long answerNanos;
  private volatile boolean ending;

  Connections(Server server, Limits limits, @Nullable Tls tls) {
    super(server, 1, 1, factories(limits, tls));
    headerNanos = limits.request().toNanos();
    answerNanos = limits.idle().toNanos();
    setIdleTimeout(limits.idle().toMillis());
    setShutdownIdleTimeout(0); // no other timeout than before
  }

  private static ConnectionFactory[] factories(Limits limits, @Nullable Tls tls) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(true);
    http.setRequestHeaderSize(limits.addressBytes() + HEADER_BYTES);
    http.setNotifyForbiddenComplianceViolations(false);
    HttpConnectionFactory plain = new HttpConnectionFactory(http);
    return tls == null
        ? new ConnectionFactory[] {plain}
        : new ConnectionFactory[] {
          new SslConnectionFactory(tls.factory(), plain.getProtocol()), plain
        };
  }

  private enum Phase {
    /** Between two requests. */
    IDLE,
    /** Some bytes of a request have arrived. */
    HEADER,
    /** The header has arrived; the request limits its own time. */
    REQUEST,
    /** An answer is being written. */
    ANSWER,
    CLOSED
  }

  private final class Timed extends SocketChannelEndPoint {
    private Phase phase = Phase.IDLE;
    private long since = System.nanoTime();

    Timed(SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
      super(channel, selector, key, scheduler);
    }

    /** Reads what has arrived; never waits, so that holding the lock is short. */
    @Override
    public synchronized int fill(ByteBuffer buffer) throws IOException {
      if (phase == Phase.CLOSED) {
        return -1;
      }
      int filled = super.fill(buffer);
      if (filled > 0 && phase == Phase.IDLE) {
        enter(Phase.HEADER);
      }
      return filled;
    }

    synchronized void enter(Phase next) {
      if (phase != Phase.CLOSED) {
        phase = next;
        since = System.nanoTime();
      }
    }

    private synchronized boolean claimIdle() {
      boolean idle = ending && phase == Phase.IDLE;
      if (idle) {
        phase = Phase.CLOSED;
      }
      return idle;
    }

    private synchronized boolean isLate() {
      long nanos = System.nanoTime() - since;
      return switch (phase) {
        case HEADER -> nanos > headerNanos;
        case ANSWER -> nanos > answerNanos;
        default -> false;
      };
    }

    void check() {
      if (claimIdle()) {
        Connection connection = getConnection();
        if (connection == null) {
          close();
        } else {
          connection.close(); // says so through TLS, too
        }
      } else if (isLate()) {
        close(new TimeoutException("too slow"));
      }
    }
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    return new Timed(channel, selector, key, getScheduler());
  }

  private static Timed of(Request request) {
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    while (endPoint instanceof EndPoint.Wrapper wrapper) {
      endPoint = wrapper.unwrap();
    }
    return (Timed) endPoint;
  }

  /** Notes that the answer of a request is complete and has to be taken. */
  static void answering(Request request) {
    of(request).enter(Phase.ANSWER);
  }

  /** Returns a handler that notes when requests begin and end. */
  Handler noting(Handler handler) {
    return new Handler.Wrapper(handler) {
      @Override
      public boolean handle(Request request, Response response, Callback callback)
          throws Exception {
        Timed connection = of(request);
        connection.enter(Phase.REQUEST);
        return super.handle(request, response, new Ending(connection, callback));
      }
    };
  }

  private record Ending(Timed connection, Callback callback) implements Callback {
    @Override
    public void succeeded() {
      connection.enter(Phase.IDLE); // before Jetty reads the next request
      callback.succeeded();
      connection.check();
    }

    @Override
    public void failed(Throwable failure) {
      connection.enter(Phase.IDLE);
      callback.failed(failure);
      connection.check();
    }

    @Override
    public Invocable.InvocationType getInvocationType() {
      return callback.getInvocationType();
    }
  }

  /** Returns how often to check, so that no connection is much later than it may be. */
  Duration checkInterval() {
    long millis = NANOSECONDS.toMillis(Math.min(headerNanos, answerNanos)) / 4;
    return Duration.ofMillis(Math.max(10, Math.min(1000, millis)));
  }

  /** Closes connections whose time is over. */
  void check() {
    for (EndPoint each : getConnectedEndPoints()) {
      ((Timed) each).check();
    }
  }

  /** Accepts no more connections, and closes those that wait for a request. */
  @Override
  public CompletableFuture<Void> shutdown() {
    ending = true;
    CompletableFuture<Void> done = super.shutdown();
    check();
    return done;
  }
}
