/** A directory of tables as a Flink catalog, and its procedures. */
@NullMarked
package io.bsdb.flink.catalog;

import org.jspecify.annotations.NullMarked;
