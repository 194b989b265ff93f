/** The memory that readers hold, and its limit. */
@NullMarked
package io.bsdb.reader.memory;

import org.jspecify.annotations.NullMarked;
