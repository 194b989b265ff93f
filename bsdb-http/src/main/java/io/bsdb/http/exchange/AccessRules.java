package io.bsdb.http.exchange;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** The rules of access: hosts that requests may name, and the token that they need. */
public final class AccessRules {
  private static final Pattern ADDRESS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9A-Fa-f:.]+]");

  private final Set<String> hosts;
  private final byte @Nullable [] tokenHash;

  /**
   * @param host the server listens at
   * @param names by which clients know the server besides, in lower case
   * @param token that requests need; null for none
   */
  public AccessRules(String host, Set<String> names, @Nullable String token) {
    Set<String> all = new HashSet<>(names);
    all.add(host.toLowerCase(Locale.ROOT));
    if (host.contains(":")) {
      all.add("[" + host.toLowerCase(Locale.ROOT) + "]");
    }
    all.addAll(Set.of("localhost", "127.0.0.1", "[::1]"));
    this.hosts = Set.copyOf(all);
    this.tokenHash = token == null ? null : hash(token);
  }

  /** Refuses to let other machines read what they should not, unless that is wanted. */
  public static void requireSafe(String host, @Nullable String token, boolean hasTls)
      throws IOException {
    if (InetAddress.getByName(host).isLoopbackAddress()) {
      return;
    }
    if (token == null) {
      throw new IllegalArgumentException(
          "%s is not a loopback address: without a token, whoever reaches it can read the tables; set a token (--token-file) and a certificate (--tls-certificate, --tls-key), or listen at 127.0.0.1; if only machines that may read everything reach it, --insecure serves without"
              .formatted(host));
    }
    if (!hasTls) {
      throw new IllegalArgumentException(
          "%s is not a loopback address: without TLS, others can read the token and the rows on their way; set a certificate (--tls-certificate, --tls-key), or listen at 127.0.0.1; if a trusted network or a proxy with TLS is in between, --insecure serves without"
              .formatted(host));
    }
  }

  public boolean hasToken() {
    return tokenHash != null;
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A page of another host, whose name its owner makes lead here, must not read the tables. A
   * request for an IP address, as of a probe, is not from such a page.
   */
  public void requireHost(Request request) {
    String host = request.getHttpURI().getHost();
    if (host == null
        || !(hosts.contains(host.toLowerCase(Locale.ROOT)) || ADDRESS.matcher(host).matches())) {
      throw new Problem(
          Problem.Kind.WRONG_HOST,
          "Host is '%s'; expected an IP address or one of %s; --allow-host adds names",
          host,
          hosts);
    }
  }

  /** Refuses a request without the token. */
  public void requireToken(Request request) {
    if (!permits(request)) {
      throw new Problem(
          Problem.Kind.UNAUTHORIZED,
          "send it as 'Authorization: Bearer TOKEN', or as the password of any user");
    }
  }

  /**
   * Returns whether a request has the token, if one is needed. Compares hashes, in constant time,
   * so that nothing is learned of the token's length either.
   */
  public boolean permits(Request request) {
    return tokenHash == null || MessageDigest.isEqual(hash(token(request)), tokenHash);
  }

  /** Returns the token of a request; empty if it has none. */
  private static String token(Request request) {
    String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    String given = header == null ? "" : header.strip();
    int space = given.indexOf(' ');
    String scheme = space < 0 ? "" : given.substring(0, space).toLowerCase(Locale.ROOT);
    String token = given.substring(space + 1).strip();
    return switch (scheme) {
      case "basic" -> password(token);
      case "bearer" -> token;
      default -> "";
    };
  }

  private static String password(String basic) {
    try {
      String user = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
      return user.substring(user.indexOf(':') + 1);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }
}
