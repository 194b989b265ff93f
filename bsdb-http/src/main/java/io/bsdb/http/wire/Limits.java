package io.bsdb.http.wire;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

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

  private final Map<String, Integer> values;

  private Limits(Map<String, Integer> values) {
    this.values = values;
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

  private int value(String name) {
    return values.getOrDefault(name, 0);
  }

  private Duration millis(String name) {
    return Duration.ofMillis(value(name));
  }

  /**
   * Returns how many keys a lookup may have, and how many rows a range.
   *
   * @see io.bsdb.http.api.KeyList
   * @see io.bsdb.http.table.RowRange
   */
  public int keys() {
    return value("keys");
  }

  /**
   * Returns how long the body of a request may be.
   *
   * @see io.bsdb.http.exchange.BodyReader
   */
  public int bodyBytes() {
    return value("body-bytes");
  }

  /**
   * Returns how long path and query of a request may be.
   *
   * @see io.bsdb.http.Router
   * @see Connections
   */
  public int addressBytes() {
    return value("address-bytes");
  }

  /**
   * Returns how long an answer may be, without its header.
   *
   * @see io.bsdb.http.exchange.Answer
   */
  public int answerBytes() {
    return value("answer-bytes");
  }

  /**
   * Returns how much memory all answers in flight may take together.
   *
   * @see io.bsdb.http.exchange.Budget
   */
  public int allAnswersBytes() {
    return value("all-answers-bytes");
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
    return millis("request-millis");
  }

  /**
   * Returns how long a connection may be without a request, and how long a client may take over an
   * answer.
   *
   * @see Connections
   */
  public Duration idle() {
    return millis("idle-millis");
  }

  /**
   * Returns how many connections may be open; a further one replaces the one that has been without
   * a request longest, or answers health checks only.
   *
   * @see Connections
   * @see io.bsdb.http.Router
   */
  public int connections() {
    return value("connections");
  }

  /**
   * Returns how many versions may be open that are not in service.
   *
   * @see io.bsdb.http.table.PinnedVersions
   */
  public int pinnedVersions() {
    return value("pinned-versions");
  }

  /**
   * Returns how often in a minute such a version may be opened.
   *
   * @see io.bsdb.http.table.PinnedVersions
   */
  public int pinsPerMinute() {
    return value("pins-per-minute");
  }

  /**
   * Returns how long closing waits for requests in flight.
   *
   * @see JettyServer
   */
  public Duration drain() {
    return millis("drain-millis");
  }
}
