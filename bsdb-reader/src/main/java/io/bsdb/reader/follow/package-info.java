/** Following a table from version to version. */
@NullMarked
package io.bsdb.reader.follow;

import org.jspecify.annotations.NullMarked;
