/** The blocks of a partition file: their index, their inside, and how they are written. */
@Internal
@NullMarked
package io.bsdb.format.block;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
