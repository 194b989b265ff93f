/** The log of a writable table: its files, how groups of changes get there, and its recovery. */
@Internal
@NullMarked
package io.bsdb.live.log;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
