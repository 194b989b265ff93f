package io.bsdb.table.manifest;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a stream that is applied to a table. A job that writes a stream publishes once per
 * checkpoint. Each time it starts or is restored it is another incarnation, which takes the place
 * of the one before.
 *
 * @param last publication of the incarnation that writes the stream
 * @param superseded the last publications of incarnations before that one, oldest first
 * @param sourceTime the time up to which all changes have been applied, by the watermark of what
 *     the stream reads, to the millisecond; null if it is not known. A change may still come late
 */
public record StreamProgress(
    Checkpoint last, List<Checkpoint> superseded, @Nullable Instant sourceTime) {
  /** The source time of a stream whose input has ended: the last one that a manifest can have. */
  public static final Instant END = Instant.parse("9999-12-31T23:59:59.999Z");

  private static final Instant BEGIN = Instant.parse("0000-01-01T00:00:00Z");

  /**
   * Maximum number of superseded incarnations that are remembered; older ones are refused as
   * unknown.
   */
  public static final int MAX_SUPERSEDED = 1000;

  /**
   * Identity of a publication.
   *
   * @param incarnation of the job
   * @param number of the job's checkpoint; grows within an incarnation
   */
  public record Checkpoint(UUID incarnation, long number) {
    /** Returns what an incarnation has before it publishes for the first time: its number is 0. */
    public static Checkpoint begin(UUID incarnation) {
      return new Checkpoint(incarnation, 0);
    }

    /** Returns whether the incarnation had published nothing. */
    public boolean isBegin() {
      return number == 0;
    }

    private boolean covers(Checkpoint other) {
      return incarnation.equals(other.incarnation) && number >= other.number;
    }

    @Override
    public String toString() {
      return incarnation + "/" + number;
    }
  }

  public StreamProgress {
    superseded = List.copyOf(superseded);
    if (sourceTime != null) {
      Instant time = sourceTime.truncatedTo(ChronoUnit.MILLIS);
      sourceTime = time.isAfter(END) ? END : time.isBefore(BEGIN) ? BEGIN : time;
    }
  }

  /** Creates the progress after the first publication of a stream. */
  public StreamProgress(Checkpoint first) {
    this(first, List.of(), null);
  }

  /** Returns whether a publication has been applied. */
  public boolean contains(Checkpoint checkpoint) {
    return last.covers(checkpoint)
        || superseded.stream().anyMatch(other -> other.covers(checkpoint));
  }

  /** Returns whether an incarnation wrote the stream before another one took its place. */
  public boolean isSuperseded(UUID incarnation) {
    return superseded.stream().anyMatch(other -> other.incarnation().equals(incarnation));
  }

  /** Returns the progress after another publication, by whichever incarnation. */
  public StreamProgress after(Checkpoint next) {
    if (next.incarnation().equals(last.incarnation())) {
      return new StreamProgress(next, superseded, sourceTime);
    }
    List<Checkpoint> others = new ArrayList<>(superseded);
    others.add(last);
    int first = Math.max(0, others.size() - MAX_SUPERSEDED);
    return new StreamProgress(next, others.subList(first, others.size()), sourceTime);
  }

  /**
   * Returns the same progress with a source time, which never goes back: what was applied stays.
   * The end of an input is forgotten once there is more.
   *
   * @param time null if it is not known
   */
  public StreamProgress at(@Nullable Instant time) {
    Instant known = END.equals(sourceTime) ? null : sourceTime;
    return new StreamProgress(
        last, superseded, known == null || (time != null && time.isAfter(known)) ? time : known);
  }
}
