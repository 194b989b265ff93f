/**
 * Segments: files of changes, each a put or a delete of one key, in the order in which they apply.
 */
@Internal
@NullMarked
package io.bsdb.format.segment;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
