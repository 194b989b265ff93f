package io.bsdb.http.wire;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Limits of a server: the values only. The classes that enforce them are named here; they lie above
 * this package, except {@link Connections} and {@link JettyServer}, so limits lie here. The number
 * of lookups that wait for the disk cannot be set: {@link io.bsdb.http.table.ServedTable#reserve}
 * limits it by the queue depth of the readers.
 *
 * @param keys that a lookup may have, and rows that a range may have: {@link
 *     io.bsdb.http.api.KeyList}, {@link io.bsdb.http.table.RowRange}
 * @param bodyBytes length of the body of a request: {@link io.bsdb.http.exchange.BodyReader}
 * @param addressBytes length of path and query of a request: {@link io.bsdb.http.Router}, {@link
 *     Connections}
 * @param answerBytes length of an answer without its header: {@link io.bsdb.http.exchange.Answer}
 * @param allAnswersBytes memory that all answers in flight may take together: {@link
 *     io.bsdb.http.exchange.Budget}
 * @param request how long the first byte of a connection, the header of a request, its body and its
 *     lookup may take, each: {@link Connections}, {@link io.bsdb.http.exchange.BodyReader}, {@link
 *     io.bsdb.http.exchange.Exchange#requireTime}, {@link io.bsdb.http.api.Reading}, {@link
 *     io.bsdb.http.table.Comparisons}
 * @param idle how long a connection may be without a request, and how long a client may take over
 *     an answer: {@link Connections}
 * @param connections that may be open; a further one replaces the one that has been without a
 *     complete request longest, or answers health checks only: {@link Connections}, {@link
 *     io.bsdb.http.Router}
 * @param pinnedVersions versions that may be open though they are not in service: {@link
 *     io.bsdb.http.table.PinnedVersions}
 * @param pinsPerMinute how often in a minute such a version may be opened: {@link
 *     io.bsdb.http.table.PinnedVersions}
 * @param drain how long closing waits for requests in flight: {@link JettyServer}
 */
public record Limits(
    int keys,
    int bodyBytes,
    int addressBytes,
    int answerBytes,
    int allAnswersBytes,
    Duration request,
    Duration idle,
    int connections,
    int pinnedVersions,
    int pinsPerMinute,
    Duration drain) {
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

  private static int value(Map<String, Integer> values, String name) {
    return Objects.requireNonNull(values.get(name), name);
  }

  /**
   * Returns limits by name, such as {@code body-bytes} and {@code request-millis}; those that are
   * not given have their defaults.
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
    return new Limits(
        value(all, "keys"),
        value(all, "body-bytes"),
        value(all, "address-bytes"),
        value(all, "answer-bytes"),
        value(all, "all-answers-bytes"),
        Duration.ofMillis(value(all, "request-millis")),
        Duration.ofMillis(value(all, "idle-millis")),
        value(all, "connections"),
        value(all, "pinned-versions"),
        value(all, "pins-per-minute"),
        Duration.ofMillis(value(all, "drain-millis")));
  }
}
