/**
 * Functions that may fail with an {@link java.io.IOException}, what closes after failures and
 * rethrows them, and steps that an interrupt does not end.
 */
@Internal
@NullMarked
package io.bsdb.format.io;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
