/** Cost of changes over a table: lookups, refreshes, compaction. */
@NullMarked
package io.bsdb.benchmarks.live;

import org.jspecify.annotations.NullMarked;
