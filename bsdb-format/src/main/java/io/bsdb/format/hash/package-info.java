/**
 * Minimal perfect hashes over the 128-bit hashes of keys: evaluation in place, and construction.
 */
@Internal
@NullMarked
package io.bsdb.format.hash;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
