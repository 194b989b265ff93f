/** Threads and memory of a build. */
@Internal
@NullMarked
package io.bsdb.writer.work;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
