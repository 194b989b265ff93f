/** Options of all readers. */
@NullMarked
package io.bsdb.reader.options;

import org.jspecify.annotations.NullMarked;
