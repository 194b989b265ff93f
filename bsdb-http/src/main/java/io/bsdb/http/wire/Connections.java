package io.bsdb.http.wire;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
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
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a server, each with what it is waiting for. Jetty's idle timeout restarts with
 * every byte; here the first byte, the header of a request and the taking of an answer are limited
 * as a whole. When the server ends, connections without a request are closed at once and the others
 * after their answer.
 *
 * <p>Beyond the limit, a new connection replaces the one that has been without a complete request
 * longest. If all have one, it is a spare one: a few of these answer health checks, and refuse
 * everything else.
 */
public final class Connections extends ServerConnector {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
  private static final int HEADER_BYTES = 8 << 10;

  /** Connections beyond the limit, for health checks. */
  private static final int SPARE = 16;

  private static final int ACCEPT_QUEUE = 1024;
  private static final Duration ACCEPT_PAUSE = Duration.ofMillis(10);

  /** Requests of one connection that a thread answers one after the other. */
  private static final int IN_A_ROW = 16;

  private final int most;

  private final long headerNanos;
  private final long answerNanos;
  private volatile boolean ending;

  /** Held where connections are counted and one gets a place: several threads open them. */
  private final Object places = new Object();

  Connections(Server server, Limits limits, int selectors, @Nullable Tls tls) {
    super(server, 1, selectors, factories(limits, tls));
    most = most(limits.connections());
    headerNanos = limits.request().toNanos();
    answerNanos = limits.idle().toNanos();
    setIdleTimeout(limits.idle().toMillis());
    setAcceptQueueSize(ACCEPT_QUEUE); // many at once do not wait for another attempt
    setShutdownIdleTimeout(0); // no other timeout than before
  }

  /**
   * Returns how many connections there may be, so that half of the files that may still be opened
   * is left for new versions of the tables: what cannot be accepted replaces no other connection.
   */
  private static int most(int wanted) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long files = system.getMaxFileDescriptorCount();
      long room = (files - system.getOpenFileDescriptorCount() - SPARE) / 2;
      if (room < wanted) {
        int most = (int) Math.max(1, room);
        LOG.warn(
            "at most {} connections, not {}: this process may open only {} files; raise 'ulimit -n'",
            most,
            wanted,
            files);
        return most;
      }
    }
    return wanted;
  }

  private static ConnectionFactory[] factories(Limits limits, @Nullable Tls tls) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(true);
    http.setRequestHeaderSize(limits.addressBytes() + HEADER_BYTES);
    http.setNotifyForbiddenComplianceViolations(false);
    if (tls != null) {
      // Hosts are checked elsewhere; probes ask for addresses that the certificate does not name.
      http.addCustomizer(new SecureRequestCustomizer(false));
    }
    HttpConnectionFactory plain = new HttpConnectionFactory(http);
    return tls == null
        ? new ConnectionFactory[] {plain}
        : new ConnectionFactory[] {
          new SslConnectionFactory(tls.factory(), plain.getProtocol()), plain
        };
  }

  private enum Phase {
    /** No byte has arrived yet. */
    NEW,
    /** Between two requests. */
    IDLE,
    /** Some bytes of a request have arrived. */
    HEADER,
    /** The header has arrived, and some of the body has not; the request limits its own time. */
    BODY,
    /** All that the answer needs has arrived; the request limits its own time. */
    REQUEST,
    /** An answer is being written. */
    ANSWER,
    CLOSED;

    boolean hasRequest() {
      return this == REQUEST || this == ANSWER;
    }
  }

  private final class Timed extends SocketChannelEndPoint {
    private Phase phase = Phase.NEW;
    private volatile boolean spare;

    /** Requests since there was nothing to read, or the last one was left to another thread. */
    private int inRow;

    /** When the phase began; not kept for requests. */
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
      if (filled <= 0) {
        inRow = 0;
      } else if (phase == Phase.IDLE || phase == Phase.NEW) {
        enter(Phase.HEADER);
      }
      return filled;
    }

    private synchronized boolean isNext() {
      inRow = inRow < IN_A_ROW ? inRow + 1 : 0;
      return inRow > 0;
    }

    synchronized void enter(Phase next) {
      if (phase != Phase.CLOSED) {
        phase = next;
        if (next != Phase.REQUEST) {
          since = System.nanoTime();
        }
      }
    }

    /** Counts this as one of the connections if there is room; returns false if it stays spare. */
    private boolean admit() {
      synchronized (places) {
        spare = false;
        spare = !makeRoom(this, most);
        return !spare;
      }
    }

    /** Returns for how long there has been no complete request; negative if there is one. */
    private synchronized long nanosWithoutRequest() {
      return phase.hasRequest() || phase == Phase.CLOSED ? -1 : System.nanoTime() - since;
    }

    /** Closes this connection if it still has no complete request. */
    private boolean shed() {
      synchronized (this) {
        if (phase.hasRequest() || phase == Phase.CLOSED) {
          return false;
        }
        phase = Phase.CLOSED;
      }
      close(new TimeoutException("another connection takes the place of this one"));
      return true;
    }

    private synchronized boolean claimIdle() {
      boolean idle = ending && (phase == Phase.IDLE || phase == Phase.NEW);
      if (idle) {
        phase = Phase.CLOSED;
      }
      return idle;
    }

    private synchronized boolean isLate() {
      return switch (phase) {
        case NEW, HEADER -> System.nanoTime() - since > headerNanos;
        case ANSWER -> System.nanoTime() - since > answerNanos;
        default -> false;
      };
    }

    void check() {
      if (claimIdle()) {
        Connection connection = getConnection();
        if (connection == null) {
          close();
        } else {
          connection.close(); // notifies the client through TLS, too
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

  @Override
  protected void onEndPointOpened(EndPoint opened) {
    Timed connection = (Timed) opened;
    synchronized (places) {
      super.onEndPointOpened(opened);
      if (!connection.admit() && !makeRoom(connection, SPARE)) {
        connection.shed();
      }
    }
  }

  /**
   * Makes room where no more files can be opened, and tries again in a moment: Jetty would do that
   * only after a second, and the connections that others have replaced are closed before.
   */
  @Override
  protected boolean handleAcceptFailure(Throwable failure) {
    if (!isRunning() || !isOpen() || Thread.currentThread().isInterrupted()) {
      return super.handleAcceptFailure(failure);
    }
    getConnectedEndPoints().stream()
        .map(Timed.class::cast)
        .max(Comparator.comparingLong(Timed::nanosWithoutRequest))
        .ifPresent(Timed::shed);
    LockSupport.parkNanos(ACCEPT_PAUSE.toNanos());
    return true;
  }

  /**
   * Makes room for a connection among those that are spare, or are not, as it is.
   *
   * @return false if there is none, because all have requests
   */
  private boolean makeRoom(Timed opened, int room) {
    while (getConnectedEndPoints().size() > room) {
      int count = 0;
      Timed longest = null;
      long longestNanos = -1;
      for (EndPoint each : getConnectedEndPoints()) {
        Timed other = (Timed) each;
        if (other.spare != opened.spare) {
          continue;
        }
        count++;
        long nanos = other == opened ? -1 : other.nanosWithoutRequest();
        if (nanos > longestNanos) {
          longest = other;
          longestNanos = nanos;
        }
      }
      if (count <= room) {
        return true;
      }
      if (longest == null) {
        return false;
      }
      if (longest.shed()) {
        return true;
      }
    }
    return true;
  }

  /** Returns whether there is room for a request other than a health check. */
  public static boolean hasRoom(Request request) {
    Timed connection = of(request);
    return !connection.spare || connection.admit();
  }

  /**
   * Returns whether the thread that has read a request may answer it. Of many requests that a
   * connection sends at once it must leave some to other threads, so that other connections have
   * their turn. Called once per request.
   */
  public static boolean mayAnswerAtOnce(Request request) {
    return of(request).isNext();
  }

  private static Timed of(Request request) {
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    while (endPoint instanceof EndPoint.Wrapper wrapper) {
      endPoint = wrapper.unwrap();
    }
    return (Timed) endPoint;
  }

  /** Notes that a request waits for the rest of its body. */
  public static void awaitingBody(Request request) {
    of(request).enter(Phase.BODY);
  }

  /** Notes that the body of a request has arrived. */
  public static void bodyArrived(Request request) {
    of(request).enter(Phase.REQUEST);
  }

  /** Notes that the answer of a request is complete and has to be taken. */
  public static void answering(Request request) {
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
