/** Streams that change a table with each checkpoint. */
@Internal
@NullMarked
package io.bsdb.flink.sink.stream;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
