package io.bsdb.http.wire;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Limits of a server, by name: the values only. Each method refers to the classes that enforce its
 * limit. They lie above this package, except {@link Connections} and {@link JettyServer}, so limits
 * lie here. The number of lookups that wait for the disk cannot be set: {@link
 * io.bsdb.http.table.ServedTable#reserve} limits it by the queue depth of the readers.
 */
public final class Limits {
  private static final Map<String, Integer> DEFAULTS = new LinkedHashMap<>();

  static {
    DEFAULTS.put("keys", 1024);
    DEFAULTS.put("body-bytes", 1 << 20);
    DEFAULTS.put("address-bytes", 8 << 10);
    DEFAULTS.put("answer-bytes", 64 << 20);
    DEFAULTS.put(
        "all-answers-bytes",
        (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 4));
    DEFAULTS.put("request-millis", 5_000);
    DEFAULTS.put("idle-millis", 30_000);
    DEFAULTS.put("connections", 256);
    DEFAULTS.put("pinned-versions", 2);
    DEFAULTS.put("pins-per-minute", 30);
    DEFAULTS.put("drain-millis", 30_000);
  }

  // Fields, since each request asks for some of them: maps took a tenth of the time of a row.
  private final int keys;
  private final int bodyBytes;
  private final int addressBytes;
  private final int answerBytes;
  private final int allAnswersBytes;
  private final Duration request;
  private final Duration idle;
  private final int connections;
  private final int pinnedVersions;
  private final int pinsPerMinute;
  private final Duration drain;

  private Limits(Map<String, Integer> values) {
    keys = value(values, "keys");
    bodyBytes = value(values, "body-bytes");
    addressBytes = value(values, "address-bytes");
    answerBytes = value(values, "answer-bytes");
    allAnswersBytes = value(values, "all-answers-bytes");
    request = Duration.ofMillis(value(values, "request-millis"));
    idle = Duration.ofMillis(value(values, "idle-millis"));
    connections = value(values, "connections");
    pinnedVersions = value(values, "pinned-versions");
    pinsPerMinute = value(values, "pins-per-minute");
    drain = Duration.ofMillis(value(values, "drain-millis"));
  }

  private static int value(Map<String, Integer> values, String name) {
    return Objects.requireNonNull(values.get(name), name);
  }

  /**
   * Returns limits; those that are not given have their defaults.
   *
   * @throws IllegalArgumentException if a name is unknown or a value is less than 1
   */
  public static Limits of(Map<String, Integer> given) {
    Map<String, Integer> all = new LinkedHashMap<>(DEFAULTS);
    given.forEach(
        (name, value) -> {
          if (!DEFAULTS.containsKey(name)) {
            throw new IllegalArgumentException(
                "there is no limit '%s'; there are %s".formatted(name, DEFAULTS.keySet()));
          }
          if (value < 1) {
            throw new IllegalArgumentException(
                "limit '%s': expected>=1 actual=%d".formatted(name, value));
          }
          all.put(name, value);
        });
    return new Limits(all);
  }

  /**
   * Returns how many keys a lookup may have, and how many rows a range.
   *
   * @see io.bsdb.http.api.KeyList
   * @see io.bsdb.http.table.RowRange
   */
  public int keys() {
    return keys;
  }

  /**
   * Returns how long the body of a request may be.
   *
   * @see io.bsdb.http.exchange.BodyReader
   */
  public int bodyBytes() {
    return bodyBytes;
  }

  /**
   * Returns how long path and query of a request may be.
   *
   * @see io.bsdb.http.Router
   * @see Connections
   */
  public int addressBytes() {
    return addressBytes;
  }

  /**
   * Returns how long an answer may be, without its header.
   *
   * @see io.bsdb.http.exchange.Answer
   */
  public int answerBytes() {
    return answerBytes;
  }

  /**
   * Returns how much memory all answers in flight may take together.
   *
   * @see io.bsdb.http.exchange.Budget
   */
  public int allAnswersBytes() {
    return allAnswersBytes;
  }

  /**
   * Returns how long the first byte of a connection, the header of a request, its body and its
   * lookup may take, each.
   *
   * @see Connections
   * @see io.bsdb.http.exchange.BodyReader
   * @see io.bsdb.http.exchange.Exchange#requireTime
   * @see io.bsdb.http.api.Reading
   * @see io.bsdb.http.table.Comparisons
   */
  public Duration request() {
    return request;
  }

  /**
   * Returns how long a connection may be without a request, and how long a client may take over an
   * answer.
   *
   * @see Connections
   */
  public Duration idle() {
    return idle;
  }

  /**
   * Returns how many connections may be open; a further one replaces the one that has been without
   * a request longest, or answers health checks only.
   *
   * @see Connections
   * @see io.bsdb.http.Router
   */
  public int connections() {
    return connections;
  }

  /**
   * Returns how many versions may be open that are not in service.
   *
   * @see io.bsdb.http.table.PinnedVersions
   */
  public int pinnedVersions() {
    return pinnedVersions;
  }

  /**
   * Returns how often in a minute such a version may be opened.
   *
   * @see io.bsdb.http.table.PinnedVersions
   */
  public int pinsPerMinute() {
    return pinsPerMinute;
  }

  /**
   * Returns how long closing waits for requests in flight.
   *
   * @see JettyServer
   */
  public Duration drain() {
    return drain;
  }
}
