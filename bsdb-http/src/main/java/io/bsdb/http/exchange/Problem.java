package io.bsdb.http.exchange;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.io.MappedFault;
import io.bsdb.reader.memory.MemoryBudgetExceededException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A problem as RFC 9457 defines it: the answer to a request that cannot be answered. */
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(Problem.class);
  private static final String TYPE = "urn:problem-type:bsdb:";

  private final Kind kind;

  /** The problems that there are, each with its status. */
  public enum Kind {
    ABSENT(404, "The key is absent"),
    BAD_KEY(400, "Not a key of this table"),
    BAD_REQUEST(400, "The request is malformed"),
    UNAUTHORIZED(401, "A token is needed"),
    UNKNOWN_ADDRESS(404, "There is nothing at this address"),
    UNKNOWN_TABLE(404, "There is no such table"),
    UNKNOWN_VERSION(404, "There is no such version"),
    WRONG_METHOD(405, "The method is not allowed here"),
    NOT_ACCEPTABLE(406, "None of the accepted media types is available"),
    TIMEOUT(408, "The request took too long"),
    TOO_MANY_KEYS(413, "Too many keys"),
    BODY_TOO_LARGE(413, "The request is too large"),
    ANSWER_TOO_LARGE(413, "The answer would be too large"),
    ADDRESS_TOO_LONG(414, "The address is too long"),
    WRONG_MEDIA_TYPE(415, "The media type of the request is not supported"),
    WRONG_HOST(421, "This server does not serve that host"),
    NOT_COMPARABLE(422, "The versions cannot be compared"),
    NOT_KEPT(422, "The history does not go back that far"),
    NOT_ORDERED(422, "The table is not in key order"),
    NO_KEYS(422, "The table stores no keys"),
    HEADER_TOO_LONG(431, "The request header is too long"),
    CORRUPT(500, "The data is damaged"),
    UNREADABLE(500, "The data cannot be read"),
    INTERNAL(500, "A defect of the server"),
    OVERLOADED(503, "The server has too much to do"),
    NOT_READY(503, "Not all tables are served, or one is too old"),
    STOPPING(503, "The server is stopping"),
    LOOKUP_TIMEOUT(504, "The lookup took too long");

    public final int status;
    public final String title;

    Kind(int status, String title) {
      this.status = status;
      this.title = title;
    }

    String type() {
      String name = this == LOOKUP_TIMEOUT ? "timeout" : name();
      return TYPE + name.toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  public Problem(Kind kind, String detail) {
    super(detail, null, false, false); // an answer, not a failure of this program
    this.kind = kind;
  }

  /**
   * Creates one whose detail is formatted. Of each text in it, which clients may have sent, it has
   * an excerpt.
   */
  @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library not used here
  public Problem(Kind kind, String format, @Nullable Object... values) {
    this(
        kind,
        format.formatted(
            Arrays.stream(values)
                .map(value -> value instanceof String text ? Excerpt.of(text) : value)
                .toArray()));
  }

  public static Problem unknownAddress() {
    return new Problem(
        Kind.UNKNOWN_ADDRESS, "/openapi.json lists the addresses, / shows the tables");
  }

  public Kind kind() {
    return kind;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }

  /** Returns the message of a failure, in words also where it is a file name only. */
  public static String text(Throwable failure) {
    if (failure instanceof FileSystemException file && file.getReason() == null) {
      if (file instanceof NoSuchFileException) {
        return "no such file: " + file.getFile();
      }
      if (file instanceof AccessDeniedException) {
        return "permission denied: " + file.getFile();
      }
    }
    return String.valueOf(failure.getMessage());
  }

  /** Returns what a failure is to the client; what it should not have caused is logged. */
  public static Problem of(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof UncheckedIOException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    cause = MappedFault.explained(cause);
    if (cause instanceof Problem problem) {
      return problem;
    }
    if (cause instanceof CorruptSnapshotException) {
      LOG.error("a request met damaged data: {}", cause.getMessage());
      return new Problem(Kind.CORRUPT, String.valueOf(cause.getMessage()));
    }
    if (cause instanceof TimeoutException) {
      return new Problem(Kind.LOOKUP_TIMEOUT, "the disk has not answered in time");
    }
    if (cause instanceof ClosedReaderException || cause instanceof RejectedExecutionException) {
      return new Problem(Kind.STOPPING, "the server is stopping; ask another one");
    }
    if (cause instanceof MemoryBudgetExceededException) {
      return new Problem(Kind.OVERLOADED, String.valueOf(cause.getMessage()));
    }
    LOG.error("a request failed", cause);
    return cause instanceof IOException
        ? new Problem(Kind.UNREADABLE, text(cause))
        : new Problem(Kind.INTERNAL, "see the log of the server");
  }
}
