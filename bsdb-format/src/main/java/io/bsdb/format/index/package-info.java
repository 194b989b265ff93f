/**
 * From a key to its block, and from the block to the record. Internal: it may change in any
 * release.
 */
@NullMarked
package io.bsdb.format.index;

import org.jspecify.annotations.NullMarked;
