/** Changes over a base: an index of the changed keys in memory, and the segments that hold them. */
@NullMarked
package io.bsdb.reader.overlay;

import org.jspecify.annotations.NullMarked;
