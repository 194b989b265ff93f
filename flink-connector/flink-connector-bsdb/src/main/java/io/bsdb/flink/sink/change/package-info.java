/** Changes of keys, and how rows become such. */
@Internal
@NullMarked
package io.bsdb.flink.sink.change;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
