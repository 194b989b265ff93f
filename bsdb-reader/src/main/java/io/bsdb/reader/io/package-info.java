/** How bytes of a snapshot come into memory. */
@Internal
@NullMarked
package io.bsdb.reader.io;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
