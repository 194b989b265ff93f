package io.bsdb.http.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Certificate and key from PEM files, read again when they change. */
public final class Tls {
  private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
  private static final String KEY_BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String KEY_END = "-----END PRIVATE KEY-----";

  private final Path certificates;
  private final Path key;
  private final SslContextFactory.Server factory = new SslContextFactory.Server();
  private List<FileTime> read;

  /**
   * @param certificates the server's own first
   * @param key in PKCS #8, not encrypted
   * @throws IOException if they cannot be read, or do not fit
   */
  public Tls(Path certificates, Path key) throws IOException {
    this.certificates = certificates;
    this.key = key;
    this.read = times();
    configure(factory);
  }

  SslContextFactory.Server factory() {
    return factory;
  }

  private List<FileTime> times() throws IOException {
    return List.of(Files.getLastModifiedTime(certificates), Files.getLastModifiedTime(key));
  }

  private void configure(SslContextFactory target) throws IOException {
    try (InputStream in = Files.newInputStream(certificates)) {
      Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(in)
              .toArray(Certificate[]::new);
      PrivateKey own = privateKey();
      requirePair(own, chain);
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("bsdb", own, new char[0], chain);
      target.setKeyStore(store);
      target.setKeyStorePassword("");
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException(
          "not a certificate and its key: certificates=%s key=%s: %s"
              .formatted(certificates, key, e.getMessage()),
          e);
    }
  }

  /**
   * Refuses a key that is not that of the certificate: when both are renewed, one of the files is
   * the first to change.
   */
  private static void requirePair(PrivateKey key, Certificate[] chain)
      throws GeneralSecurityException {
    if (chain.length == 0) {
      throw new IllegalArgumentException("the first file has no certificate");
    }
    Signature signature =
        Signature.getInstance(
            switch (key.getAlgorithm()) {
              case "RSA" -> "SHA256withRSA";
              case "EC" -> "SHA256withECDSA";
              default -> "Ed25519";
            });
    byte[] probe = chain[0].getEncoded();
    signature.initSign(key);
    signature.update(probe);
    byte[] signed = signature.sign();
    boolean fits;
    try {
      signature.initVerify(chain[0].getPublicKey());
      signature.update(probe);
      fits = signature.verify(signed);
    } catch (InvalidKeyException ofAnotherAlgorithm) {
      fits = false;
    }
    if (!fits) {
      throw new IllegalArgumentException("the key is that of another certificate");
    }
  }

  private PrivateKey privateKey() throws IOException, GeneralSecurityException {
    String text = Files.readString(key, StandardCharsets.US_ASCII);
    int begin = text.indexOf(KEY_BEGIN);
    int end = text.indexOf(KEY_END);
    if (begin < 0 || end < begin) {
      throw new IllegalArgumentException(
          "expected '%s'; convert the key with 'openssl pkcs8 -topk8 -nocrypt'"
              .formatted(KEY_BEGIN));
    }
    byte[] bytes = Base64.getMimeDecoder().decode(text.substring(begin + KEY_BEGIN.length(), end));
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(bytes);
    for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        // of another algorithm
      }
    }
    throw new IllegalArgumentException("neither an RSA, nor an EC, nor an Ed25519 key");
  }

  /** Takes over files that have changed; those that cannot be read leave the old ones in use. */
  synchronized void refresh() {
    try {
      List<FileTime> now = times();
      if (!now.equals(read)) {
        new Tls(certificates, key);
        factory.reload(
            target -> {
              try {
                configure(target);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
        read = now;
        LOG.info("new certificates are in use: {}", certificates);
      }
    } catch (Exception e) {
      LOG.error("the certificates in use are kept", e);
    }
  }
}
