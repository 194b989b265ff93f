package io.bsdb.http.exchange;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Writes the refusals of the HTTP library in the form of the service. */
public final class ProblemHandler extends ErrorHandler {
  @Override
  public boolean errorPageForMethod(String method) {
    return true;
  }

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int status,
      String message,
      @Nullable Throwable cause,
      Callback callback) {
    Problem problem = new Problem(kind(status), message == null ? "" : message);
    HttpFields.Mutable headers = response.getHeaders();
    headers.put(MediaType.PROBLEM.contentType);
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    if (problem.kind() == Problem.Kind.STOPPING) {
      headers.put(HttpHeader.RETRY_AFTER, "1");
    }
    if (!request.getConnectionMetaData().isPersistent()) {
      headers.put(HttpHeader.CONNECTION, "close"); // else the library closes it without a word
    }
    response.write(true, Exchange.body(problem, status), callback);
  }

  private static Problem.Kind kind(int status) {
    return switch (status) {
      case 405, 501 -> Problem.Kind.WRONG_METHOD;
      case 408 -> Problem.Kind.TIMEOUT;
      case 413 -> Problem.Kind.BODY_TOO_LARGE;
      case 414 -> Problem.Kind.ADDRESS_TOO_LONG;
      case 431 -> Problem.Kind.HEADER_TOO_LONG;
      case 503 -> Problem.Kind.STOPPING;
      case 505 -> Problem.Kind.BAD_REQUEST; // of another version of HTTP
      default -> status < 500 ? Problem.Kind.BAD_REQUEST : Problem.Kind.INTERNAL;
    };
  }
}
