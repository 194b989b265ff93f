package io.bsdb.http;

import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers for one row. Tables in memory are looked up in the request's thread; those on disk by
 * futures, whose answers are written by the server's threads.
 */
final class Rows {
  private static final Logger LOG = LoggerFactory.getLogger(Rows.class);
  private static final List<MediaType> OFFERED =
      List.of(MediaType.JSON, MediaType.NDJSON, MediaType.BYTES);
  private static final Set<String> BY_PATH = Set.of("encoding", "columns", "numbers");

  private Rows() {}

  /**
   * Answers with a row.
   *
   * @param held released when the answer needs it no more
   * @param keyText from the path; null if the query has the key
   */
  static void get(Exchange exchange, ServedTable table, Held held, @Nullable String keyText)
      throws IOException {
    Address address = exchange.address();
    MediaType type;
    RowJsonWriter writer;
    byte[] key;
    try (Releasing releasing = new Releasing(held)) {
      type = exchange.negotiate(OFFERED);
      address.allow(keyText != null ? BY_PATH : byQuery(held.rows().schema()));
      String columns = address.parameter("columns");
      writer = held.rows().writer(columns, address.parameter("numbers"));
      if (type == MediaType.BYTES && columns != null) {
        throw new Problem(
            Problem.Kind.BAD_REQUEST, "columns= is for JSON: as bytes, a value is whole");
      }
      String text = keyText != null ? keyText : address.parameter("key");
      key = held.rows().key(address, text);
      exchange.access.version = held.version();
      exchange.access.keys = 1;
      exchange.access.key = key;
      HttpField tag = held.rows().tagField(type);
      if (!held.pinned() && exchange.isUnchanged(tag)) {
        exchange.notModified(held, tag);
        return;
      }
      if (!table.readsFromDisk()) {
        byte[] value = held.reader().get(key);
        answer(exchange, held, type, writer, key, value);
        return;
      }
      Runnable permit = table.reserve(1);
      awaited(
          exchange,
          releasing.handedOver(),
          permit,
          () -> held.reader().async().get(key),
          value -> answer(exchange, held, type, writer, key, value));
    }
  }

  /** Returns the parameters of a lookup whose key is in the query. */
  static Set<String> byQuery(@Nullable Schema schema) {
    Set<String> names = new HashSet<>(BY_PATH);
    names.add("key");
    if (schema != null) {
      schema.keyColumns().stream().map(Column::name).forEach(names::add);
    }
    return names;
  }

  private static void answer(
      Exchange exchange,
      Held held,
      MediaType type,
      @Nullable RowJsonWriter writer,
      byte[] key,
      byte @Nullable [] value)
      throws IOException {
    if (value == null) {
      exchange.header(held.rows().versionField());
      throw new Problem(
          Problem.Kind.ABSENT, "version %s does not have the key".formatted(held.version()));
    }
    exchange.access.found = 1;
    HttpField tag = held.rows().tagField(type);
    if (type == MediaType.BYTES) {
      if (value.length > exchange.limits().answerBytes()) {
        exchange.newAnswer().require(value.length);
      }
      exchange.answer(held, tag, type, ByteBuffer.wrap(value));
      return;
    }
    Answer body = exchange.newAnswer();
    VersionRows.writeRow(body, writer, key, value);
    if (type == MediaType.NDJSON) {
      body.write('\n');
    }
    exchange.answer(held, tag, type, body.toByteBuffer());
  }

  /** Begins a lookup that reads from disk. */
  interface Lookup<T> {
    CompletableFuture<T> begin();
  }

  /** Makes an answer of what was found. */
  interface Found<T> {
    void answer(T found) throws IOException;
  }

  /**
   * Answers when a future is done, or has taken too long. The version and the permit are held until
   * the read has ended in any case.
   */
  static <T> void awaited(
      Exchange exchange, Held held, Runnable permit, Lookup<T> lookup, Found<T> found) {
    CompletableFuture<T> read;
    try {
      read = lookup.begin();
    } catch (RuntimeException | Error e) {
      read = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<T> released =
        read.whenCompleteAsync(
            (value, failure) -> {
              permit.run();
              release(held);
            },
            exchange.executor());
    // Where the read ends is the thread of the ring: everything else happens elsewhere.
    var unused =
        released
            .copy()
            .orTimeout(exchange.limits().request().toMillis(), TimeUnit.MILLISECONDS)
            .whenCompleteAsync(
                (value, failure) -> {
                  if (failure != null) {
                    exchange.fail(failure);
                    return;
                  }
                  try {
                    found.answer(value);
                  } catch (IOException | RuntimeException | Error e) {
                    exchange.fail(e);
                  }
                },
                exchange.executor());
  }

  private static void release(Held held) {
    try {
      held.close();
    } catch (IOException | RuntimeException e) {
      LOG.error("version {} cannot be closed", held.version(), e);
    }
  }

  /** Releases a version at the end of a block, unless somebody else will. */
  static final class Releasing implements Closeable {
    private @Nullable Held held;

    Releasing(Held held) {
      this.held = held;
    }

    Held handedOver() {
      Held given = held;
      if (given == null) {
        throw new IllegalStateException("handed over already");
      }
      held = null;
      return given;
    }

    @Override
    public void close() {
      if (held != null) {
        release(held);
      }
    }
  }
}
