/** Who gets which rows: by partition, or by key ranges that are chosen from a sample. */
@Internal
@NullMarked
package io.bsdb.flink.sink.shuffle;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
