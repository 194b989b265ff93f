package io.bsdb.live;

/**
 * The guarantee that a completed write gives. With either, no completed write is lost when the
 * process is killed.
 */
public enum Durability {
  /** Once it is on disk. Nobody reads a change that a power loss could still undo. */
  COMMIT,
  /**
   * Once the operating system has it. A power loss or a crash of the system undoes what it had not
   * written yet, except what came before the last {@link WritableTable#sync}.
   */
  OS
}
