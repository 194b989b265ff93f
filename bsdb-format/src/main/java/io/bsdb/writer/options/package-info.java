/** How a table is built. */
@NullMarked
package io.bsdb.writer.options;

import org.jspecify.annotations.NullMarked;
