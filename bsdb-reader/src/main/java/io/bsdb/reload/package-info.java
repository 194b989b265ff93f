/** Reloads: replaces all rows of a table, and publishes only those that differ. */
@NullMarked
package io.bsdb.reload;

import org.jspecify.annotations.NullMarked;
