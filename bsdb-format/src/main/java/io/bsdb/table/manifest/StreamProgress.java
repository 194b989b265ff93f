package io.bsdb.table.manifest;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Progress of a stream that is applied to a table. A job that writes a stream publishes once per
 * checkpoint. Each time it starts or is restored it is another incarnation, which takes the place
 * of the one before.
 *
 * @param last publication of the incarnation that writes the stream
 * @param superseded the last publications of incarnations before that one, oldest first
 */
public record StreamProgress(Checkpoint last, List<Checkpoint> superseded) {
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
  }

  /** Creates the progress after the first publication of a stream. */
  public StreamProgress(Checkpoint first) {
    this(first, List.of());
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
      return new StreamProgress(next, superseded);
    }
    List<Checkpoint> others = new ArrayList<>(superseded);
    others.add(last);
    int first = Math.max(0, others.size() - MAX_SUPERSEDED);
    return new StreamProgress(next, others.subList(first, others.size()));
  }
}
