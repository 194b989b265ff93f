/** Flink table connector for snapshots. */
@NullMarked
package io.bsdb.flink;

import org.jspecify.annotations.NullMarked;
