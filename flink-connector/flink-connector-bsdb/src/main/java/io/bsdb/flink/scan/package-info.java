/** Reads all rows of one version of a table. */
@Internal
@NullMarked
package io.bsdb.flink.scan;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
