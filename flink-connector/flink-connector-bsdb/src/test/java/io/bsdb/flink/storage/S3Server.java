package io.bsdb.flink.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.DefaultPluginManager;
import org.apache.flink.core.plugin.DirectoryBasedPluginFinder;
import org.apache.flink.core.plugin.PluginManager;

/**
 * An S3 service in memory, on the loopback address: objects of one bucket, listings with delimiters
 * and multipart uploads. As S3 does, it knows no directories, and answers 404 for what is not
 * there.
 */
public final class S3Server implements AutoCloseable {
  public static final String BUCKET = "bucket";

  static {
    // Otherwise a body waits 40 ms until the client has acknowledged the header in front of it.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);
  private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");

  /** Each has thousands of classes, which a process of Flink loads once, too. */
  private static final Map<String, PluginManager> PLUGINS = new ConcurrentHashMap<>();

  private static final class Stored {
    private final byte[] content;
    private final Instant modified = Instant.now();

    Stored(byte[] content) {
      this.content = content;
    }

    String etag() {
      try {
        byte[] digest = MessageDigest.getInstance("MD5").digest(content);
        return "\"%032x\"".formatted(new BigInteger(1, digest));
      } catch (NoSuchAlgorithmException e) {
        throw new AssertionError(e);
      }
    }
  }

  private final ConcurrentSkipListMap<String, Stored> objects = new ConcurrentSkipListMap<>();
  private final Set<String> deleted = ConcurrentHashMap.newKeySet();
  private final Map<String, Map<Integer, byte[]>> uploads = new ConcurrentHashMap<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(task -> new Thread(task, "s3"));
  private final HttpServer server;
  private volatile int pageSize = 1000;

  /** Starts a service with an empty bucket. */
  private S3Server() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /**
   * Starts a service from which Flink reads what begins with s3://, until it is closed.
   *
   * @param plugin a directory below target/plugins
   */
  public static S3Server through(String plugin) throws IOException {
    S3Server server = new S3Server();
    Configuration configuration = new Configuration();
    configuration.setString("s3.endpoint", server.endpoint());
    configuration.setString("s3.path.style.access", "true");
    configuration.setString("s3.path-style-access", "true");
    configuration.setString("s3.access-key", "key");
    configuration.setString("s3.secret-key", "secret");
    configuration.setString("s3.region", "us-east-1");
    configuration.setString("s3.endpoint.region", "us-east-1");
    PluginManager plugins = PLUGINS.get(plugin);
    if (plugins == null) {
      plugins =
          new DefaultPluginManager(
              new DirectoryBasedPluginFinder(Path.of("target/plugins", plugin)).findPlugins(),
              new String[] {
                "java.", "org.apache.flink.", "javax.", "org.slf4j", "org.apache.log4j"
              });
      PLUGINS.put(plugin, plugins);
    }
    FileSystem.initialize(configuration, plugins);
    return server;
  }

  /** Sets how many names a listing has at most; clients ask for more of them. */
  public void pageSize(int value) {
    pageSize = value;
  }

  private String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** The keys of all objects. */
  public List<String> keys() {
    return List.copyOf(objects.keySet());
  }

  /** The keys of all objects that were deleted, though they be there again. */
  public Set<String> deleted() {
    return Set.copyOf(deleted);
  }

  @Override
  public void close() {
    FileSystem.initialize(new Configuration(), null);
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = body(exchange);
      URI uri = exchange.getRequestURI();
      Map<String, String> query = query(uri);
      String path = uri.getPath().substring(1);
      String key = path.startsWith(BUCKET + "/") ? path.substring(BUCKET.length() + 1) : "";
      if (!path.equals(BUCKET) && !path.startsWith(BUCKET + "/")) {
        error(exchange, 404, "NoSuchBucket");
      } else if (key.isEmpty()) {
        ofBucket(exchange, query, new String(body, UTF_8));
      } else {
        ofObject(exchange, key, query, body);
      }
    }
  }

  private void ofBucket(HttpExchange exchange, Map<String, String> query, String body)
      throws IOException {
    if (query.containsKey("delete")) {
      Matcher keys = KEY.matcher(body);
      while (keys.find()) {
        objects.remove(keys.group(1));
        deleted.add(keys.group(1));
      }
      xml(exchange, "<DeleteResult/>");
    } else if (exchange.getRequestMethod().equals("GET") && !query.containsKey("location")) {
      xml(exchange, list(query));
    } else {
      xml(exchange, "<LocationConstraint/>");
    }
  }

  private String list(Map<String, String> query) {
    String prefix = query.getOrDefault("prefix", "");
    String delimiter = query.getOrDefault("delimiter", "");
    String after =
        query.getOrDefault(
            "continuation-token",
            query.getOrDefault("start-after", query.getOrDefault("marker", "")));
    int most = Math.min(pageSize, Integer.parseInt(query.getOrDefault("max-keys", "1000")));
    StringBuilder contents = new StringBuilder();
    TreeSet<String> directories = new TreeSet<>();
    int count = 0;
    String last = "";
    boolean truncated = false;
    for (Map.Entry<String, Stored> entry : objects.tailMap(after, false).entrySet()) {
      String key = entry.getKey();
      if (!key.startsWith(prefix)) {
        continue;
      }
      int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
      String directory = end < 0 ? "" : key.substring(0, end + 1);
      if (end >= 0 && (directories.contains(directory) || after.startsWith(directory))) {
        continue;
      }
      if (count == most) {
        truncated = true;
        break;
      }
      count++;
      last = key;
      if (end >= 0) {
        directories.add(directory);
      } else {
        contents.append(
            "<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>%s</ETag><Size>%d</Size><StorageClass>STANDARD</StorageClass></Contents>"
                .formatted(
                    key,
                    entry.getValue().modified,
                    entry.getValue().etag().replace("\"", "&quot;"),
                    entry.getValue().content.length));
      }
    }
    directories.forEach(
        directory ->
            contents.append(
                "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>".formatted(directory)));
    return "<ListBucketResult><Name>%s</Name><Prefix>%s</Prefix><Delimiter>%s</Delimiter><KeyCount>%d</KeyCount><MaxKeys>%d</MaxKeys><IsTruncated>%s</IsTruncated>%s%s</ListBucketResult>"
        .formatted(
            BUCKET,
            prefix,
            delimiter,
            count,
            most,
            truncated,
            truncated
                ? "<NextContinuationToken>%s</NextContinuationToken><NextMarker>%s</NextMarker>"
                    .formatted(last, last)
                : "",
            contents);
  }

  private void ofObject(HttpExchange exchange, String key, Map<String, String> query, byte[] body)
      throws IOException {
    String upload = query.get("uploadId");
    switch (exchange.getRequestMethod()) {
      case "PUT" -> {
        if (upload == null) {
          store(exchange, key, body);
        } else {
          uploads.get(upload).put(Integer.parseInt(query.get("partNumber")), body);
        }
        exchange.getResponseHeaders().set("ETag", new Stored(body).etag());
        exchange.sendResponseHeaders(200, -1);
      }
      case "POST" -> {
        String id = upload == null ? Integer.toString(uploads.size()) : upload;
        if (upload == null) {
          uploads.put(id, new TreeMap<>());
        } else {
          ByteArrayOutputStream all = new ByteArrayOutputStream();
          for (byte[] part : uploads.get(id).values()) {
            all.write(part);
          }
          objects.put(key, new Stored(all.toByteArray()));
        }
        String result =
            upload == null ? "InitiateMultipartUploadResult" : "CompleteMultipartUploadResult";
        xml(
            exchange,
            "<%s><Bucket>%s</Bucket><Key>%s</Key><UploadId>%s</UploadId><ETag>&quot;0&quot;</ETag></%s>"
                .formatted(result, BUCKET, key, id, result));
      }
      case "DELETE" -> {
        if (upload == null) {
          objects.remove(key);
          deleted.add(key);
        }
        exchange.sendResponseHeaders(204, -1);
      }
      default -> read(exchange, key);
    }
  }

  private void store(HttpExchange exchange, String key, byte[] body) {
    if (exchange.getRequestHeaders().containsKey("x-amz-copy-source")) {
      throw new UnsupportedOperationException("nothing is renamed or copied: " + key);
    }
    objects.put(key, new Stored(body));
  }

  private void read(HttpExchange exchange, String key) throws IOException {
    Stored stored = objects.get(key);
    if (stored == null) {
      error(exchange, 404, "NoSuchKey");
      return;
    }
    byte[] content = stored.content;
    int status = 200;
    String range = exchange.getRequestHeaders().getFirst("Range");
    if (range != null) {
      String[] ends = range.substring("bytes=".length()).split("-", -1);
      int first = Integer.parseInt(ends[0]);
      long asked = ends[1].isEmpty() ? Long.MAX_VALUE : Long.parseLong(ends[1]);
      if (first >= content.length) {
        error(exchange, 416, "InvalidRange");
        return;
      }
      int last = (int) Math.min(asked, content.length - 1);
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes %d-%d/%d".formatted(first, last, content.length));
      content = Arrays.copyOfRange(content, first, last + 1);
      status = 206;
    }
    exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
    exchange.getResponseHeaders().set("ETag", stored.etag());
    exchange.getResponseHeaders().set("Last-Modified", HTTP_DATE.format(stored.modified));
    send(exchange, status, content);
  }

  private static void send(HttpExchange exchange, int status, byte[] content) throws IOException {
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(content.length));
      exchange.sendResponseHeaders(status, -1);
    } else {
      exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
      exchange.getResponseBody().write(content);
    }
  }

  private static void xml(HttpExchange exchange, String content) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/xml");
    send(exchange, 200, ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + content).getBytes(UTF_8));
  }

  private static void error(HttpExchange exchange, int status, String code) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/xml");
    send(
        exchange,
        status,
        "<Error><Code>%s</Code><Message>%s</Message></Error>"
            .formatted(code, code)
            .getBytes(UTF_8));
  }

  private static Map<String, String> query(URI uri) {
    Map<String, String> query = new HashMap<>();
    if (uri.getRawQuery() != null) {
      for (String parameter : uri.getRawQuery().split("&", -1)) {
        String[] parts = parameter.split("=", 2);
        query.put(parts[0], parts.length == 1 ? "" : URLDecoder.decode(parts[1], UTF_8));
      }
    }
    return query;
  }

  private static byte[] body(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String hash = exchange.getRequestHeaders().getFirst("x-amz-content-sha256");
    return hash != null && hash.startsWith("STREAMING-") ? unchunked(body) : body;
  }

  /** Undoes the chunks in which the SDKs of AWS sign or checksum what they send. */
  private static byte[] unchunked(byte[] body) throws IOException {
    InputStream in = new ByteArrayInputStream(body);
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    while (true) {
      StringBuilder header = new StringBuilder();
      for (int next = in.read(); next != '\n'; next = in.read()) {
        header.append((char) next);
      }
      int length = Integer.parseInt(header.toString().split("[;\r]", 2)[0], 16);
      if (length == 0) {
        return content.toByteArray();
      }
      content.write(in.readNBytes(length));
      in.skipNBytes(2);
    }
  }
}
