/** From a key to its block, and from the block to the record. */
@Internal
@NullMarked
package io.bsdb.format.index;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
