/** Between Flink's rows and the rows of a snapshot. */
@Internal
@NullMarked
package io.bsdb.flink.row;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
