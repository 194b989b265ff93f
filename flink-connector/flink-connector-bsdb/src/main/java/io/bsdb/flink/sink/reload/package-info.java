/** Builds that publish only what differs. */
@Internal
@NullMarked
package io.bsdb.flink.sink.reload;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
