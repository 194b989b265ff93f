/** Where the files of a table lie. */
@Internal
@NullMarked
package io.bsdb.table.storage;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
