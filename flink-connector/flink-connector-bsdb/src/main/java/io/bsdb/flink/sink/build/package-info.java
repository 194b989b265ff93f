/** Builds that replace a table as a whole. */
@Internal
@NullMarked
package io.bsdb.flink.sink.build;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
