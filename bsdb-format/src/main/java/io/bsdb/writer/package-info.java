/** Builds snapshots: {@link io.bsdb.writer.SnapshotWriter}. */
@NullMarked
package io.bsdb.writer;

import org.jspecify.annotations.NullMarked;
