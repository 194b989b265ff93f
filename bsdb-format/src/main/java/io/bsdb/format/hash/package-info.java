/**
 * Minimal perfect hashes over the 128-bit hashes of keys: evaluation in place, and construction.
 */
@NullMarked
package io.bsdb.format.hash;

import org.jspecify.annotations.NullMarked;
