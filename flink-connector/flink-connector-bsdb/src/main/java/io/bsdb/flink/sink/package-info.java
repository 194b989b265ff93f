/** The batch sink, which builds a snapshot with many tasks and publishes it once. */
@NullMarked
package io.bsdb.flink.sink;

import org.jspecify.annotations.NullMarked;
