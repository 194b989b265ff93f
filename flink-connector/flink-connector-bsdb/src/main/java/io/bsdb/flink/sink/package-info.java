/** Classes that all sinks share: build settings, upkeep, temporary directories. */
@Internal
@NullMarked
package io.bsdb.flink.sink;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
