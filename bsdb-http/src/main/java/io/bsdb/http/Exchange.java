package io.bsdb.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One request and its answer, which is sent once. */
final class Exchange {
  static final ObjectMapper MAPPER = new ObjectMapper();
  private static final HttpField NO_SNIFF =
      new PreEncodedHttpField("X-Content-Type-Options", "nosniff");
  private static final HttpField NO_STORE =
      new PreEncodedHttpField(HttpHeader.CACHE_CONTROL, "no-store");
  private static final HttpField NO_CACHE =
      new PreEncodedHttpField(HttpHeader.CACHE_CONTROL, "no-cache");
  private static final HttpField IMMUTABLE =
      new PreEncodedHttpField(HttpHeader.CACHE_CONTROL, "public, max-age=31536000, immutable");
  private static final HttpField IMMUTABLE_PRIVATE =
      new PreEncodedHttpField(HttpHeader.CACHE_CONTROL, "private, max-age=31536000, immutable");
  private static final HttpField VARY = new PreEncodedHttpField(HttpHeader.VARY, "Accept");
  private static final HttpField ATTACHMENT =
      new PreEncodedHttpField("Content-Disposition", "attachment");

  private final Request request;
  private final Response response;
  private final Callback callback;
  private Address address = Address.NONE;
  private final Limits limits;
  private final boolean hasToken;
  private final AtomicBoolean answered = new AtomicBoolean();
  private final Budget.Share share;
  private volatile long lookupStart = System.nanoTime();

  /** For the access log and the metrics. */
  final Access access;

  Exchange(
      Request request,
      Response response,
      Callback callback,
      Limits limits,
      boolean hasToken,
      Budget.Share share,
      Access access) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.limits = limits;
    this.hasToken = hasToken;
    this.share = share;
    this.access = access;
  }

  Request request() {
    return request;
  }

  Address address() {
    return address;
  }

  /** Sets the address, once it could be decoded. */
  void address(Address decoded) {
    address = decoded;
  }

  Limits limits() {
    return limits;
  }

  /** Returns the server's threads. */
  Executor executor() {
    return request.getComponents().getExecutor();
  }

  @Nullable String header(HttpHeader name) {
    return request.getHeaders().get(name);
  }

  MediaType negotiate(List<MediaType> offered) {
    String first = header(HttpHeader.ACCEPT);
    for (MediaType type : offered) {
      if (type.name.equals(first)) { // what programs send
        return type;
      }
    }
    return MediaType.negotiate(request.getHeaders().getValuesList(HttpHeader.ACCEPT), offered);
  }

  Answer newAnswer() {
    return new Answer(limits.answerBytes(), share);
  }

  /** Whether the client is a browser that shows a page. */
  boolean prefersHtml() {
    String accept = header(HttpHeader.ACCEPT);
    return accept != null && accept.startsWith(MediaType.HTML.name);
  }

  /** Returns the memory that this answer takes. */
  Budget.Share share() {
    return share;
  }

  /** Begins to count the time of the lookup, after the body has arrived. */
  void beginLookup() {
    lookupStart = System.nanoTime();
  }

  /**
   * Refuses to go on with a lookup that takes too long.
   *
   * @throws Problem if its time is over
   */
  void requireTime() {
    if (System.nanoTime() - lookupStart > limits.request().toNanos()) {
      throw new Problem(
          Problem.Kind.LOOKUP_TIMEOUT,
          "the lookup has not ended within %d ms; ask for fewer rows"
              .formatted(limits.request().toMillis()));
    }
  }

  /** Whether the client has this answer already, as it says without {@code *}. */
  boolean isUnchanged(HttpField tag) {
    String known = header(HttpHeader.IF_NONE_MATCH);
    if (known == null || known.equals("*")) {
      return false;
    }
    for (String each : known.split(",", -1)) {
      String candidate = each.strip();
      if (candidate.startsWith("W/")) {
        candidate = candidate.substring(2);
      }
      if (candidate.equals(tag.getValue())) {
        return true;
      }
    }
    return false;
  }

  /** Answers 304: what the client has is still right. */
  void notModified(Held held, HttpField tag) {
    if (answered.compareAndSet(false, true)) {
      response.setStatus(304);
      versionHeaders(held, tag);
      write(ByteBuffer.allocate(0));
    }
  }

  /** Answers with what a version holds; 304 if the client takes anything there is. */
  void answer(Held held, HttpField tag, MediaType type, ByteBuffer body) {
    if ("*".equals(header(HttpHeader.IF_NONE_MATCH)) && isRead()) {
      notModified(held, tag);
    } else if (answered.compareAndSet(false, true)) {
      versionHeaders(held, tag);
      send(200, type, body);
    }
  }

  boolean isRead() {
    return !request.getMethod().equals("POST");
  }

  private void versionHeaders(Held held, HttpField tag) {
    HttpFields.Mutable headers = response.getHeaders();
    headers.put(held.rows().versionField());
    headers.put(VARY);
    if (isRead()) {
      headers.put(tag);
      headers.put(
          held.pinned() && response.getStatus() != 304
              ? hasToken ? IMMUTABLE_PRIVATE : IMMUTABLE
              : NO_CACHE);
    } else {
      headers.put(NO_STORE);
    }
  }

  /** Answers with what may change at any time. */
  void answer(int status, MediaType type, ByteBuffer body) {
    if (answered.compareAndSet(false, true)) {
      response.getHeaders().put(NO_STORE);
      send(status, type, body);
    }
  }

  /** Answers with a file of this program. */
  void answerFile(MediaType type, ByteBuffer body) {
    if (answered.compareAndSet(false, true)) {
      response.getHeaders().put(NO_CACHE);
      send(200, type, body);
    }
  }

  void answerJson(ObjectNode json) throws IOException {
    answer(200, MediaType.JSON, ByteBuffer.wrap(MAPPER.writeValueAsBytes(json)));
  }

  void header(HttpField field) {
    response.getHeaders().put(field);
  }

  /** Answers with a problem, unless there is an answer already. */
  void fail(Throwable thrown) {
    if (answered.compareAndSet(false, true)) {
      problem(Problem.of(thrown));
    }
  }

  private void problem(Problem problem) {
    access.problem = problem.kind();
    response.getHeaders().put(NO_STORE);
    switch (problem.kind()) {
      case OVERLOADED, STOPPING -> response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
      case UNAUTHORIZED ->
          response
              .getHeaders()
              .put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"bsdb\", Basic realm=\"bsdb\"");
      case TIMEOUT, BODY_TOO_LARGE -> response.getHeaders().put(HttpHeader.CONNECTION, "close");
      default -> {}
    }
    send(problem.kind().status, MediaType.PROBLEM, ByteBuffer.wrap(body(problem)));
  }

  /** Returns the body of a problem. */
  static byte[] body(Problem problem) {
    return json(problem).toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  static ObjectNode json(Problem problem) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("type", problem.kind().type())
        .put("title", problem.kind().title)
        .put("status", problem.kind().status)
        .put("detail", problem.detail());
  }

  private void send(int status, MediaType type, ByteBuffer body) {
    HttpFields.Mutable headers = response.getHeaders();
    response.setStatus(status);
    headers.put(HttpHeader.CONTENT_TYPE, type.header);
    headers.put(NO_SNIFF);
    if (type == MediaType.BYTES) {
      headers.put(ATTACHMENT);
    }
    headers.put(HttpHeader.CONTENT_LENGTH, body.remaining());
    write(body);
  }

  private void write(ByteBuffer body) {
    access.status = response.getStatus();
    access.bytes = body.remaining();
    Connections.answering(request);
    response.write(true, body, callback);
  }
}
