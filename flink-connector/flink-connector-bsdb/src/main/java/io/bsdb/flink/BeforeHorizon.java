package io.bsdb.flink;

/** What happens to a lookup of a time before which replaced rows may have been dropped. */
public enum BeforeHorizon {
  /** It is answered by what is left. */
  ANSWER,
  /** It fails, and the job with it. */
  FAIL
}
