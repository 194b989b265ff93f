/** Distributes rows among writers, by partition or by key ranges that a sample gives. */
@Internal
@NullMarked
package io.bsdb.flink.sink.shuffle;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
