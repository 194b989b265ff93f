/** How bytes of a snapshot come into memory. Not exported. */
@NullMarked
package io.bsdb.reader.io;

import org.jspecify.annotations.NullMarked;
