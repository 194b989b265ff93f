/** What changes over a table cost: lookups, refreshes, compaction. */
@NullMarked
package io.bsdb.benchmarks.live;

import org.jspecify.annotations.NullMarked;
