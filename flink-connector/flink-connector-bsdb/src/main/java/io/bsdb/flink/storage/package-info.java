/** Tables on the file systems that Flink reaches. */
@Internal
@NullMarked
package io.bsdb.flink.storage;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
