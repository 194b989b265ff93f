/** Bytes of rows, as far as they depend on no type: below the encodings of rows and of strings. */
@Internal
@NullMarked
package io.bsdb.format.row;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
