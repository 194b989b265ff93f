/** The log of a writable table: its files, how groups of changes get there, and its recovery. */
@NullMarked
package io.bsdb.live.log;

import org.jspecify.annotations.NullMarked;
