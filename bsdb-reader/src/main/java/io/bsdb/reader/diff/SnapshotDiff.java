package io.bsdb.reader.diff;

import io.bsdb.format.Internal;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.diff.DiffPlan.History;
import io.bsdb.reader.diff.DiffPlan.Step;
import io.bsdb.reader.diff.DiffPlan.Wanted;
import io.bsdb.reader.diff.KeySource.Candidate;
import io.bsdb.reader.diff.KeySource.Place;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two versions of a table: each key whose value differs, with both values,
 * in no particular order. Compares as few keys as it can: if one version has all changes of the
 * other, only those that were changed since; else, in partitions whose file both versions share,
 * only those that were changed over it; in other partitions all. Used by one thread; does not close
 * the readers.
 *
 * <p>In a table with a history, ended rows are compared as any other: see {@link
 * SnapshotReader#allVersions}.
 */
public final class SnapshotDiff implements Closeable {
  private final SnapshotReader from;
  private final SnapshotReader to;
  private final BooleanSupplier stop;
  private final History history;
  private final List<Step> steps;
  private final Queue<Found> found = new ArrayDeque<>();
  private int step;
  private Position position;
  private long compared;
  private boolean stopped;

  /** Kinds of differences of a row. */
  public enum Kind {
    /** Only the second version has the key. */
    ADDED,
    /** Only the first version has the key. */
    REMOVED,
    /** Both have the key, with different values. */
    CHANGED
  }

  /**
   * One row that differs.
   *
   * @param before the value in the first version; null if it does not have the key
   * @param after the value in the second version; null if it does not have the key
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  public record Difference(
      Kind kind, byte[] key, byte @Nullable [] before, byte @Nullable [] after) {}

  /**
   * How far a comparison of two versions has come. Valid for the same slice, as long as both
   * versions exist.
   *
   * @hidden
   */
  @Internal
  public static final class Position {
    private static final Pattern FORM =
        Pattern.compile("([hf])(\\d{1,9})(?:\\.([0-9a-f]{1,16})\\.([0-9a-f]{1,16}))?");

    private final History history;
    private final int step;

    /** Null: at the beginning of the step. */
    private final @Nullable Place place;

    private Position(History history, int step, @Nullable Place place) {
      this.history = history;
      this.step = step;
      this.place = place;
    }

    /** Returns what {@link #parse} reads; short. */
    @Override
    public String toString() {
      String text = (history == History.USED ? "h" : "f") + step;
      return place == null
          ? text
          : text + '.' + Long.toHexString(place.high()) + '.' + Long.toHexString(place.low());
    }

    /**
     * Reads what {@link #toString} writes.
     *
     * @throws IllegalArgumentException if the text is something else
     */
    public static Position parse(String text) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches()) {
        throw new IllegalArgumentException(
            "expected a position of a comparison such as 'f0.1f.0', actual '%s'".formatted(text));
      }
      String high = matcher.group(3);
      return new Position(
          matcher.group(1).equals("h") ? History.USED : History.NOT_USED,
          Integer.parseInt(matcher.group(2)),
          high == null
              ? null
              : new Place(
                  Long.parseUnsignedLong(high, 16), Long.parseUnsignedLong(matcher.group(4), 16)));
    }
  }

  private record Found(Difference difference, Position position) {}

  private SnapshotDiff(
      SnapshotReader from, SnapshotReader to, BooleanSupplier stop, DiffPlan plan) {
    this.from = from.allVersions();
    this.to = to.allVersions();
    this.stop = stop;
    this.history = plan.history();
    this.steps = plan.steps();
    this.position = new Position(history, 0, null);
  }

  /**
   * Compares two versions of a table.
   *
   * @param share of the keys to compare, more than 0 and at most 1: a smaller share reads fewer
   *     partitions, except in key order; the same share always has the same keys
   * @param stop asked now and then; true ends the comparison early
   * @throws IllegalArgumentException if the versions have different schemas, if one of them stores
   *     no keys, or if the share is out of range
   */
  public static SnapshotDiff between(
      SnapshotReader from, SnapshotReader to, double share, BooleanSupplier stop)
      throws IOException {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("share of keys: expected >0 and <=1, actual " + share);
    }
    return between(from, to, KeySlice.sample(share), null, stop);
  }

  /**
   * Compares a slice of two versions of a table, both of which have {@link KeySlice#share()} open.
   *
   * @param after {@link #position()} of a comparison of the same versions and slice, which is
   *     continued; null to begin
   * @throws NoSuchFileException if it cannot be continued, because segments are not where that
   *     comparison read them
   * @hidden
   */
  @Internal
  public static SnapshotDiff between(
      SnapshotReader from,
      SnapshotReader to,
      KeySlice slice,
      @Nullable Position after,
      BooleanSupplier stop)
      throws IOException {
    Manifest first = from.manifest();
    Manifest second = to.manifest();
    if (!Objects.equals(first.schema(), second.schema())) {
      throw new IllegalArgumentException(
          "versions with different schemas cannot be compared: %s has %s, %s has %s"
              .formatted(
                  first.version(),
                  Objects.requireNonNullElse(first.schema(), "none"),
                  second.version(),
                  Objects.requireNonNullElse(second.schema(), "none")));
    }
    requireKeys(first);
    requireKeys(second);
    DiffPlan plan = DiffPlan.of(from, to, slice, after == null ? null : after.history);
    SnapshotDiff diff = new SnapshotDiff(from, to, stop, plan);
    try {
      diff.resume(after);
      return diff;
    } catch (IOException | RuntimeException | Error e) {
      try (diff) {
        throw e;
      }
    }
  }

  private static void requireKeys(Manifest manifest) {
    if (manifest.hasKeysOmitted()) {
      throw new IllegalArgumentException(
          "version %s is approximate: it stores no keys to compare".formatted(manifest.version()));
    }
  }

  /**
   * Returns the manifest of the version from which changes are to be read.
   *
   * @throws VersionGoneException if it has been deleted
   * @hidden
   */
  @Internal
  public static Manifest requireVersion(Table table, String version) throws IOException {
    try {
      return table.manifest(version);
    } catch (NoSuchFileException e) {
      throw new VersionGoneException(table, version, e);
    }
  }

  private void resume(@Nullable Position after) throws IOException {
    if (after == null) {
      return;
    }
    if (after.step > steps.size() || after.history != history) {
      throw new IllegalArgumentException(
          "position %s is not one of a comparison of version %s with %s"
              .formatted(after, from.manifest().version(), to.manifest().version()));
    }
    while (step < after.step) {
      closeStep();
    }
    if (after.place != null && step < steps.size()) {
      steps.get(step).keys().skipThrough(after.place);
    }
    position = after;
  }

  private void closeStep() throws IOException {
    step++;
    steps.get(step - 1).keys().close();
  }

  /** Returns the next difference; null if there is none, or if the comparison was stopped. */
  public @Nullable Difference next() throws IOException {
    while (found.isEmpty() && step < steps.size()) {
      if (stop.getAsBoolean()) {
        stopped = true;
        return null;
      }
      if (!compareSome(steps.get(step))) {
        closeStep();
        position = new Position(history, step, null);
      }
    }
    Found next = found.poll();
    if (next == null) {
      return null;
    }
    position = next.position();
    return next.difference();
  }

  /**
   * Returns the position after the last difference that was returned, or after the last key that
   * was compared if no difference is left before it.
   *
   * @hidden
   */
  @Internal
  public Position position() {
    return position;
  }

  /** Returns whether the comparison was stopped before its end. */
  public boolean isStopped() {
    return stopped;
  }

  /** Returns how many keys have been compared; a key that both have counts once or twice. */
  public long compared() {
    return compared;
  }

  @Override
  public void close() throws IOException {
    List<Step> left = steps.subList(step, steps.size());
    step = steps.size();
    Closing.all(left.stream().map(Step::keys).toList());
  }

  /** Compares the next few keys, while both readers stay open; returns false if there are none. */
  private boolean compareSome(Step current) throws IOException {
    try (RecordCursor first = from.scan();
        RecordCursor second = to.scan()) {
      return compareOpen(current);
    }
  }

  private boolean compareOpen(Step current) throws IOException {
    List<Candidate> candidates = current.keys().next();
    if (candidates == null) {
      return false;
    }
    if (candidates.isEmpty()) {
      return true;
    }
    compared += candidates.size();
    List<byte[]> keys = candidates.stream().map(Candidate::key).toList();
    boolean isRead = candidates.get(0).value() != null;
    List<byte @Nullable []> read = candidates.stream().map(Candidate::value).toList();
    boolean removed = current.wanted() == Wanted.REMOVED;
    List<byte @Nullable []> before = isRead && removed ? read : from.getAll(keys);
    List<byte @Nullable []> after = isRead && !removed ? read : to.getAll(keys);
    for (int i = 0; i < keys.size(); i++) {
      byte[] second = after.get(i);
      boolean isWanted =
          switch (current.wanted()) {
            case ALL -> true;
            case PRESENT -> second != null;
            case REMOVED -> second == null;
          };
      if (isWanted && !Arrays.equals(before.get(i), second)) {
        add(keys.get(i), before.get(i), second, candidates.get(i).place());
      }
    }
    if (found.isEmpty()) {
      position = new Position(history, step, candidates.get(keys.size() - 1).place());
    }
    return true;
  }

  private void add(byte[] key, byte @Nullable [] before, byte @Nullable [] after, Place place) {
    Kind kind = before == null ? Kind.ADDED : after == null ? Kind.REMOVED : Kind.CHANGED;
    found.add(
        new Found(new Difference(kind, key, before, after), new Position(history, step, place)));
  }
}
