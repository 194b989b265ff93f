package io.bsdb.http.exchange;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.http.wire.Connections;
import io.bsdb.http.wire.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
public final class Exchange {
  public static final ObjectMapper MAPPER = new ObjectMapper();
  public static final JsonFactory JSON = new JsonFactory();
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
  private volatile long lookupStart;

  /** For the access log and the metrics. */
  public final Access access;

  public Exchange(
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
    this.lookupStart = request.getHeadersNanoTime();
  }

  public Request request() {
    return request;
  }

  public Address address() {
    return address;
  }

  /** Sets the address, once it could be decoded. */
  public void address(Address decoded) {
    address = decoded;
  }

  public Limits limits() {
    return limits;
  }

  /** Returns the server's threads. */
  public Executor executor() {
    return request.getComponents().getExecutor();
  }

  public @Nullable String header(HttpHeader name) {
    return request.getHeaders().get(name);
  }

  /** Refuses methods other than those that the address has. */
  public void requireMethod(List<String> methods) {
    String method = request.getMethod();
    if (!methods.contains(method)) {
      header(new HttpField(HttpHeader.ALLOW, String.join(", ", methods)));
      throw new Problem(Problem.Kind.WRONG_METHOD, "%s; there is %s", method, methods);
    }
  }

  public MediaType negotiate(List<MediaType> offered) {
    String first = header(HttpHeader.ACCEPT);
    for (MediaType type : offered) {
      if (type.name.equals(first)) { // what programs send
        return type;
      }
    }
    return MediaType.negotiate(request.getHeaders().getValuesList(HttpHeader.ACCEPT), offered);
  }

  public Answer newAnswer() {
    return new Answer(limits.answerBytes(), share);
  }

  /** Returns whether the client is a browser that shows a page. */
  public boolean prefersHtml() {
    String accept = header(HttpHeader.ACCEPT);
    return accept != null && accept.startsWith(MediaType.HTML.name);
  }

  /** Returns the memory that this answer takes. */
  public Budget.Share share() {
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
  public void requireTime() {
    if (System.nanoTime() - lookupStart > limits.request().toNanos()) {
      throw new Problem(
          Problem.Kind.LOOKUP_TIMEOUT,
          "the lookup has not ended within %d ms; ask for fewer rows",
          limits.request().toMillis());
    }
  }

  /** Returns whether the client has this answer already, as its entity tags show. */
  public boolean isUnchanged(Entity entity) {
    List<String> lines = request.getHeaders().getValuesList(HttpHeader.IF_NONE_MATCH);
    return !lines.isEmpty() // as in most requests: a stream would take a part of their time
        && lines.stream()
            .flatMap(line -> Arrays.stream(line.split(",", -1)))
            .map(each -> each.strip().replaceFirst("^W/", "")) // weak tags match, too
            .anyMatch(each -> each.equals(entity.tag().getValue()));
  }

  /** Answers 304: what the client has is still right. */
  public void notModified(Entity entity) {
    if (answered.compareAndSet(false, true)) {
      response.setStatus(304);
      entityHeaders(entity);
      access.status = 304;
      Connections.answering(request);
      response.write(false, null, callback); // the last write would say that the length is 0
    }
  }

  /** Answers with what a version holds; 304 if the client takes anything there is. */
  public void answer(Entity entity, MediaType type, ByteBuffer body) {
    if ("*".equals(header(HttpHeader.IF_NONE_MATCH)) && isRead()) {
      notModified(entity);
    } else if (answered.compareAndSet(false, true)) {
      entityHeaders(entity);
      send(200, type, body);
    }
  }

  public boolean isRead() {
    return !request.getMethod().equals("POST");
  }

  /** Adds headers that are not there yet: to replace them would look at all of them. */
  private void entityHeaders(Entity entity) {
    HttpFields.Mutable headers = response.getHeaders();
    headers.add(entity.version());
    headers.add(VARY);
    if (isRead()) {
      headers.add(entity.tag());
      headers.add(
          entity.pinned() && response.getStatus() != 304
              ? hasToken ? IMMUTABLE_PRIVATE : IMMUTABLE
              : NO_CACHE);
    } else {
      headers.add(NO_STORE);
    }
  }

  /** Answers with what may change at any time. */
  public void answer(int status, MediaType type, ByteBuffer body) {
    if (answered.compareAndSet(false, true)) {
      response.getHeaders().put(NO_STORE);
      send(status, type, body);
    }
  }

  /** Answers with a file of this program. */
  public void answerFile(MediaType type, ByteBuffer body) {
    if (answered.compareAndSet(false, true)) {
      response.getHeaders().put(NO_CACHE);
      send(200, type, body);
    }
  }

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  public void answerJson(ObjectNode json) throws IOException {
    answer(200, MediaType.JSON, ByteBuffer.wrap(MAPPER.writeValueAsBytes(json)));
  }

  public void header(HttpField field) {
    response.getHeaders().put(field);
  }

  /** Answers with a problem, unless there is an answer already. */
  public void fail(Throwable thrown) {
    if (answered.compareAndSet(false, true)) {
      problem(Problem.of(thrown));
    }
  }

  private void problem(Problem problem) {
    response.getHeaders().put(NO_STORE);
    switch (problem.kind()) {
      case OVERLOADED, NOT_READY, STOPPING ->
          response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
      case UNAUTHORIZED ->
          response
              .getHeaders()
              .put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"bsdb\", Basic realm=\"bsdb\"");
      case TIMEOUT, BODY_TOO_LARGE -> response.getHeaders().put(HttpHeader.CONNECTION, "close");
      default -> {}
    }
    int status = problem.kind().status;
    send(status, MediaType.PROBLEM, body(problem, status));
  }

  /** Returns the body of a problem. */
  static ByteBuffer body(Problem problem, int status) {
    return StandardCharsets.UTF_8.encode(
        object()
            .put("type", problem.kind().type())
            .put("title", problem.kind().title)
            .put("status", status)
            .put("detail", problem.detail())
            .toString());
  }

  private void send(int status, MediaType type, ByteBuffer body) {
    HttpFields.Mutable headers = response.getHeaders();
    response.setStatus(status);
    headers.add(type.contentType);
    headers.add(NO_SNIFF);
    if (type == MediaType.BYTES) {
      headers.add(ATTACHMENT);
    }
    headers.add(HttpHeader.CONTENT_LENGTH, body.remaining());
    access.status = status;
    access.bytes = request.getMethod().equals("HEAD") ? 0 : body.remaining();
    Connections.answering(request);
    response.write(true, body, callback);
  }
}
