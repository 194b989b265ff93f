/** Reads published snapshots. */
@NullMarked
package io.bsdb.reader;

import org.jspecify.annotations.NullMarked;
