/** How Flink carries what parts of a job tell each other. */
@NullMarked
package io.bsdb.flink.state;

import org.jspecify.annotations.NullMarked;
