/** The batch sink, which builds a snapshot with many tasks and publishes it once. */
@Internal
@NullMarked
package io.bsdb.flink.sink;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
