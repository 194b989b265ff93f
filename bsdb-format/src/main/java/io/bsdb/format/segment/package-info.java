/**
 * Segments: files of changes, each a put or a delete of one key, in the order in which they apply.
 */
@NullMarked
package io.bsdb.format.segment;

import org.jspecify.annotations.NullMarked;
