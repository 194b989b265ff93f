/** Access to the bytes of a snapshot's files. */
@Internal
@NullMarked
package io.bsdb.reader.io;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
