/**
 * Open partition files: found, verified, walked through. Internal: it may change in any release.
 */
@NullMarked
package io.bsdb.reader.partition;

import org.jspecify.annotations.NullMarked;
