/** What all sinks share: settings of builds, upkeep, and where a task writes. */
@Internal
@NullMarked
package io.bsdb.flink.sink;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
