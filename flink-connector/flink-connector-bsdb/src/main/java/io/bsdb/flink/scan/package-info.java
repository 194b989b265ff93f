/** Reads all rows of one version of a table. */
@NullMarked
package io.bsdb.flink.scan;

import org.jspecify.annotations.NullMarked;
