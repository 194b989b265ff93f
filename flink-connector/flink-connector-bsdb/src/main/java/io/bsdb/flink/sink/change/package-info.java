/** Changes of keys, and the encoding of rows as changes. */
@Internal
@NullMarked
package io.bsdb.flink.sink.change;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
