/** Changes over a base: an index of the changed keys in memory, and the segments that hold them. */
@Internal
@NullMarked
package io.bsdb.reader.overlay;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
