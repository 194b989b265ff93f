/** Between Flink's rows and the rows of a snapshot. */
@NullMarked
package io.bsdb.flink.row;

import org.jspecify.annotations.NullMarked;
