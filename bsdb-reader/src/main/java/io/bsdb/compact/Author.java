package io.bsdb.compact;

import io.bsdb.format.Internal;

/**
 * For whom a table is compacted, which matters where its storage has no locks.
 *
 * @hidden
 */
@Internal
public enum Author {
  /** The job that streams into the table: without locks nobody else may publish. */
  STREAM,
  /** Anybody else. */
  ANYONE
}
