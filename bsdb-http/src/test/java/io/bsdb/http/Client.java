package io.bsdb.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Asks a server, as a program would or byte by byte. */
final class Client {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final URI address;

  Client(BsdbServer server) {
    this.address = server.address();
  }

  HttpResponse<byte[]> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  HttpResponse<byte[]> post(String path, byte[] body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address.resolve(path))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  HttpResponse<byte[]> post(String path, String body, String... headers) throws Exception {
    return post(path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  static JsonNode json(HttpResponse<byte[]> response) throws IOException {
    return MAPPER.readTree(response.body());
  }

  /** Returns the last part of a problem's type. */
  static String problem(HttpResponse<byte[]> response) throws IOException {
    String type = json(response).path("type").asText();
    return type.substring(type.lastIndexOf(':') + 1);
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(address.getHost(), address.getPort());
    socket.setSoTimeout(60_000);
    return socket;
  }

  /** Sends text as it is, and returns all that comes until the server closes. */
  String raw(String request) throws IOException {
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(request.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Sends a request for a path that no client library would send. */
  String rawGet(String path) throws IOException {
    return raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  }

  /** Reads one answer without a body that is chunked. */
  static String readAnswer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return head.toString();
      }
      head.append((char) next);
    }
    java.util.regex.Matcher length =
        java.util.regex.Pattern.compile("(?i)content-length: ([0-9]+)").matcher(head);
    byte[] body = length.find() ? in.readNBytes(Integer.parseInt(length.group(1))) : new byte[0];
    return head + new String(body, StandardCharsets.UTF_8);
  }
}
