package io.bsdb.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.testkit.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server with a certificate, which the test makes, and a token. */
@Timeout(60)
class TlsTest {
  private static final String PASSWORD = "changeit";

  /** Made once for all tests: each takes a process. */
  @TempDir private static Path stores;

  @TempDir private Path directory;
  private Path certificate;
  private Path key;
  private BsdbServer server;

  @BeforeEach
  void publish() throws Exception {
    Tables.publish(directory.resolve("t"), Map.of("k", "v"));
    certificate = directory.resolve("cert.pem");
    key = directory.resolve("key.pem");
  }

  @AfterEach
  void close() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  private BsdbServer.Builder builder() {
    return BsdbServer.builder()
        .table("t", directory.resolve("t"))
        .token("s3cret")
        .tls(certificate, key);
  }

  /** Writes a new certificate and its key, both PEM, and returns the certificate. */
  private X509Certificate makeCertificate(String algorithm, int number) throws Exception {
    Path store = stores.resolve(algorithm + number);
    if (!Files.exists(store)) {
      generateKeyPair(algorithm, number, store);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    Certificate made = keys.getCertificate("k");
    Files.writeString(certificate, pem("CERTIFICATE", made.getEncoded()));
    Files.writeString(
        key, pem("PRIVATE KEY", keys.getKey("k", PASSWORD.toCharArray()).getEncoded()));
    FileTime time = FileTime.fromMillis(1_700_000_000_000L + number * 1000L);
    Files.setLastModifiedTime(certificate, time);
    Files.setLastModifiedTime(key, time);
    return (X509Certificate) made;
  }

  private static void generateKeyPair(String algorithm, int number, Path store) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-keystore",
                store.toString(),
                "-dname",
                "CN=test " + number));
    Collections.addAll(
        command,
        "-genkeypair -storetype PKCS12 -storepass %s -alias k -keyalg %s -ext san=ip:127.0.0.1,dns:localhost -J-XX:TieredStopAtLevel=1"
            .formatted(PASSWORD, algorithm)
            .split(" ", -1));
    if (algorithm.equals("RSA")) { // longer keys take seconds
      Collections.addAll(command, "-keysize", "2048");
    }
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = Utf8.text(keytool.getInputStream().readAllBytes());
    assertThat(keytool.waitFor()).as(output).isZero();
  }

  private static String pem(String type, byte[] bytes) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(type, Base64.getMimeEncoder().encodeToString(bytes), type);
  }

  /** Returns what trusts one certificate. */
  private static SSLContext context(X509Certificate trusted) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("server", trusted);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** Asks over a new connection, trusting one certificate. */
  private HttpResponse<String> get(X509Certificate trusted, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.address().resolve("/v1/tables/t/rows/k"))
            .header("Accept", "application/octet-stream");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newBuilder()
        .sslContext(context(trusted))
        .build()
        .send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private BigInteger serial(X509Certificate trusted) throws Exception {
    HttpResponse<String> answer = get(trusted, "Authorization", "Bearer s3cret");
    assertThat(answer.body()).isEqualTo("v");
    return ((X509Certificate) answer.sslSession().orElseThrow().getPeerCertificates()[0])
        .getSerialNumber();
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA", "Ed25519"})
  void answersWithATokenOnly(String algorithm) throws Exception {
    X509Certificate trusted = makeCertificate(algorithm, 2);
    server = builder().start();
    assertThat(server.address().getScheme()).isEqualTo("https");
    assertThat(get(trusted).statusCode()).isEqualTo(401);
    assertThat(get(trusted, "Authorization", "Bearer wrong").statusCode()).isEqualTo(401);
    HttpResponse<String> answer = get(trusted, "Authorization", "Bearer s3cret");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("v");
    URI plain = URI.create("http://127.0.0.1:" + server.address().getPort() + "/health/live");
    assertThatThrownBy(
            () ->
                HttpClient.newHttpClient()
                    .send(
                        HttpRequest.newBuilder(plain).build(),
                        HttpResponse.BodyHandlers.discarding()))
        .isInstanceOf(IOException.class);
  }

  @Test
  void otherAddressesNeedNothingElse() throws Exception {
    X509Certificate trusted = makeCertificate("EC", 1);
    server = builder().host("0.0.0.0").start();
    assertThat(server.address().getHost()).isEqualTo("0.0.0.0");
    server.close();
    server = builder().limits(Map.of("drain-millis", 3_600_000)).start();
    assertThat(serial(trusted)).isEqualTo(trusted.getSerialNumber());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.7", "10.0.0.7:8080", "[fd00::7]", "tables.example.com"})
  void answersHostsThatTheCertificateDoesNotName(String host) throws Exception {
    X509Certificate trusted = makeCertificate("EC", 1);
    server = builder().allowHost("tables.example.com").start();
    try (Socket socket =
        context(trusted)
            .getSocketFactory()
            .createSocket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write(Utf8.bytes("GET /health/live HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(host)));
      assertThat(Client.readAnswer(socket))
          .startsWith("HTTP/1.1 200")
          .endsWith("{\"status\":\"live\"}");
    }
  }

  @Test
  void closesHandshakesThatDoNotBeginOrGoOn() throws Exception {
    makeCertificate("EC", 1);
    server = builder().limits(Map.of("request-millis", 300, "idle-millis", 3_600_000)).start();
    byte[] helloOf512Bytes = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3};
    try (Socket silent = begin();
        Socket one = begin((byte) 22);
        Socket some = begin(helloOf512Bytes)) {
      for (Socket socket : List.of(silent, one, some)) {
        assertThat(readToTheEnd(socket)).isZero();
      }
    }
  }

  private Socket begin(byte... bytes) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(bytes);
    return socket;
  }

  private static int readToTheEnd(Socket socket) throws IOException {
    try {
      return socket.getInputStream().readAllBytes().length;
    } catch (SocketException reset) {
      return 0;
    }
  }

  @Test
  void takesOverNewCertificates() throws Exception {
    X509Certificate first = makeCertificate("EC", 1);
    server = builder().start();
    assertThat(serial(first)).isEqualTo(first.getSerialNumber());
    X509Certificate second = makeCertificate("RSA", 2);
    server.refreshTls();
    assertThat(serial(second)).isEqualTo(second.getSerialNumber());
    assertThatThrownBy(() -> get(first)).isInstanceOf(SSLException.class);
    byte[] keyOfSecond = Files.readAllBytes(key);
    X509Certificate third = makeCertificate("RSA", 3);
    byte[] keyOfThird = Files.readAllBytes(key);
    Files.write(key, keyOfSecond);
    server.refreshTls();
    assertThat(serial(second)).as("the key has not come yet").isEqualTo(second.getSerialNumber());
    Files.write(key, keyOfThird);
    server.refreshTls();
    assertThat(serial(third)).isEqualTo(third.getSerialNumber());
    Files.writeString(certificate, "broken");
    server.refreshTls();
    assertThat(serial(third)).as("kept").isEqualTo(third.getSerialNumber());
  }

  @Test
  void namesFilesThatItCannotUse() throws Exception {
    makeCertificate("EC", 1);
    String good = Files.readString(key);
    Files.writeString(key, good.replace("PRIVATE KEY", "EC PRIVATE KEY"));
    assertThatThrownBy(() -> builder().start())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("key=" + key)
        .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
    byte[] certificateOfFirst = Files.readAllBytes(certificate);
    for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
      makeCertificate(algorithm, 2);
      Files.write(certificate, certificateOfFirst);
      assertThatThrownBy(() -> builder().start())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("not a certificate and its key: certificates=" + certificate)
          .hasMessageEndingWith("the key is that of another certificate");
    }
    Files.delete(key);
    assertThatThrownBy(() -> builder().start())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(key.toString());
  }
}
