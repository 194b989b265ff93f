package io.bsdb.http.exchange;

import io.bsdb.format.io.IOConsumer;
import io.bsdb.http.wire.Connections;
import io.bsdb.http.wire.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/** Reads the bodies of requests, up to a length and within a time, without a thread that waits. */
public final class BodyReader {
  private final Limits limits;
  private final ScheduledExecutorService timer;

  public BodyReader(Limits limits, ScheduledExecutorService timer) {
    this.limits = limits;
    this.timer = timer;
  }

  public void read(Exchange exchange, IOConsumer<byte[]> reader) {
    long length = exchange.request().getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
    if (length > limits.bodyBytes()) {
      throw tooLarge();
    }
    new Reading(exchange, reader).readAvailable();
  }

  private Problem tooLarge() {
    return new Problem(
        Problem.Kind.BODY_TOO_LARGE, "a body has at most %d bytes", limits.bodyBytes());
  }

  private static Problem endsEarly() {
    return new Problem(Problem.Kind.BAD_REQUEST, "the body ends early");
  }

  private final class Reading {
    private final Exchange exchange;
    private final Request request;
    private final IOConsumer<byte[]> reader;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream(1024);

    private boolean isTimed;

    /**
     * Whether the last of the body has been read, or a failure: then it cannot be late any more.
     */
    private boolean complete;

    Reading(Exchange exchange, IOConsumer<byte[]> reader) {
      this.exchange = exchange;
      this.request = exchange.request();
      this.reader = reader;
    }

    private void awaitRest() {
      if (!isTimed) {
        isTimed = true;
        ScheduledFuture<?> timeout =
            timer.schedule(this::giveUp, limits.request().toMillis(), TimeUnit.MILLISECONDS);
        Request.addCompletionListener(request, failure -> timeout.cancel(false));
        Connections.awaitingBody(request);
      }
      request.demand(this::readAvailable);
    }

    /**
     * Fails the request unless its body has arrived. Jetty then takes what is still arriving off
     * the connection, so nobody may read meanwhile: the rest would be missing in the body.
     */
    private synchronized void giveUp() {
      if (!complete) {
        request.fail(new TimeoutException("body"));
      }
    }

    void readAvailable() {
      try {
        if (readsAll()) {
          Connections.bodyArrived(request);
          exchange.beginLookup();
          reader.accept(body.toByteArray());
        } else {
          awaitRest();
        }
      } catch (IOException | RuntimeException | Error e) {
        exchange.fail(e);
      }
    }

    /** Reads what has arrived, without waiting; returns whether that was the last of the body. */
    private synchronized boolean readsAll() {
      while (!complete) {
        Content.Chunk chunk = request.read();
        if (chunk == null) {
          return false;
        }
        if (Content.Chunk.isFailure(chunk)) {
          complete = true;
          throw failure(chunk.getFailure());
        }
        try {
          append(chunk.getByteBuffer());
          complete = chunk.isLast();
        } finally {
          chunk.release();
        }
      }
      long length = request.getLength();
      if (length >= 0 && body.size() != length) {
        throw endsEarly();
      }
      return true;
    }

    private void append(ByteBuffer bytes) {
      if (body.size() + bytes.remaining() > limits.bodyBytes()) {
        throw tooLarge();
      }
      byte[] part = new byte[bytes.remaining()];
      bytes.get(part);
      body.writeBytes(part);
    }

    private Problem failure(Throwable cause) {
      if (cause instanceof HttpException malformed) {
        return new Problem(
            Problem.Kind.BAD_REQUEST, "the body is malformed: %s", malformed.getReason());
      }
      return cause instanceof TimeoutException
          ? new Problem(
              Problem.Kind.TIMEOUT,
              "the body has not arrived within %d ms",
              limits.request().toMillis())
          : endsEarly();
    }
  }
}
