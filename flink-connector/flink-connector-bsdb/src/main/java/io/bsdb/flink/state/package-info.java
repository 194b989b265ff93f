/** How Flink carries what parts of a job tell each other. */
@Internal
@NullMarked
package io.bsdb.flink.state;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
