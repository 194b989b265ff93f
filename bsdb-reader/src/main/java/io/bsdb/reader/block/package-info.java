/**
 * Fetching blocks: from mapped or copied memory, from disk, through a ring or threads, through a
 * cache. Internal: it may change in any release.
 */
@NullMarked
package io.bsdb.reader.block;

import org.jspecify.annotations.NullMarked;
