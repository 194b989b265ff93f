package io.bsdb.http;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits of a server. All of them can be set by name; see {@link #parse}.
 *
 * @param keys of one lookup, and rows of a range
 * @param bodyBytes of one request
 * @param addressBytes of one request: path and query
 * @param answerBytes of one answer, without its header
 * @param allAnswersBytes of all answers in flight together, as they are held in memory
 * @param request how long the first byte of a connection, the header of a request, its body and its
 *     lookup may take, each
 * @param idle how long a connection may be without a request, and how long a client may take over
 *     an answer
 * @param connections open at once; a further one replaces the one that has been without a request
 *     longest, or answers health checks only
 * @param pinnedVersions versions that are not in service, open at once
 * @param pinsPerMinute how often such a version may be opened
 * @param drain how long closing waits for requests in flight
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
    DEFAULTS.put("all-answers-bytes", quarterOfHeap());
    DEFAULTS.put("request-millis", 5_000);
    DEFAULTS.put("idle-millis", 30_000);
    DEFAULTS.put("connections", 256);
    DEFAULTS.put("pinned-versions", 2);
    DEFAULTS.put("pins-per-minute", 30);
    DEFAULTS.put("drain-millis", 30_000);
  }

  private static int quarterOfHeap() {
    return (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 4);
  }

  /** Returns the limits of a server for which none are set. */
  public static Limits defaults() {
    return parse(Map.of());
  }

  /** Returns the names that {@link #parse} takes, with their defaults. */
  public static Map<String, Integer> names() {
    return Map.copyOf(DEFAULTS);
  }

  /**
   * Reads limits by name, such as {@code keys} or {@code request-millis}; those that are left out
   * have their defaults.
   *
   * @throws IllegalArgumentException if a name is unknown or a value is less than 1
   */
  public static Limits parse(Map<String, Integer> given) {
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
        all.getOrDefault("keys", 0),
        all.getOrDefault("body-bytes", 0),
        all.getOrDefault("address-bytes", 0),
        all.getOrDefault("answer-bytes", 0),
        all.getOrDefault("all-answers-bytes", 0),
        Duration.ofMillis(all.getOrDefault("request-millis", 0)),
        Duration.ofMillis(all.getOrDefault("idle-millis", 0)),
        all.getOrDefault("connections", 0),
        all.getOrDefault("pinned-versions", 0),
        all.getOrDefault("pins-per-minute", 0),
        Duration.ofMillis(all.getOrDefault("drain-millis", 0)));
  }
}
