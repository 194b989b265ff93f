/** The table directory: versions, the one in service, publishing and clearing away. */
@NullMarked
package io.bsdb.table;

import org.jspecify.annotations.NullMarked;
