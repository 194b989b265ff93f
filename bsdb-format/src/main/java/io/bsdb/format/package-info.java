/** The byte layout of a snapshot, without I/O. */
@NullMarked
package io.bsdb.format;

import org.jspecify.annotations.NullMarked;
