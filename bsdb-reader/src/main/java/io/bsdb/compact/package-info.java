/** Compaction: folds changes into the partition files, and merges segments. */
@NullMarked
package io.bsdb.compact;

import org.jspecify.annotations.NullMarked;
