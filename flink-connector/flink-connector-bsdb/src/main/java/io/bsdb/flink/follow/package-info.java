/** Reads all rows of a table, and then the changes of each version that follows. */
@Internal
@NullMarked
package io.bsdb.flink.follow;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
