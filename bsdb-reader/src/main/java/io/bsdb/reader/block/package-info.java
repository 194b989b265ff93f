/**
 * Fetching blocks: from mapped or copied memory, from disk, through a ring or threads, through a
 * cache.
 */
@Internal
@NullMarked
package io.bsdb.reader.block;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
