/** The tables that are served, their versions, and the rows of a version. */
@Internal
@NullMarked
package io.bsdb.http.table;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
