/** Finds what differs between two versions of a table. */
@NullMarked
package io.bsdb.reader.diff;

import org.jspecify.annotations.NullMarked;
