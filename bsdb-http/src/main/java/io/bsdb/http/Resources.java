package io.bsdb.http;

import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Resources of this program that are served as they are. */
final class Resources {
  private static final Map<String, byte[]> READ = new ConcurrentHashMap<>();

  private Resources() {}

  static void answer(Exchange exchange, String name, MediaType type) throws IOException {
    exchange.address().allow(Set.of());
    byte[] bytes = READ.get(name);
    if (bytes == null) {
      bytes = read(name);
      READ.put(name, bytes);
    }
    exchange.answerFile(type, ByteBuffer.wrap(bytes));
  }

  private static byte[] read(String name) throws IOException {
    try (InputStream in = Resources.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("not in this program: " + name);
      }
      return in.readAllBytes();
    }
  }
}
