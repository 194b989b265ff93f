/** The part of a lookup join that runs in the task managers. */
@Internal
@NullMarked
package io.bsdb.flink.lookup;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
