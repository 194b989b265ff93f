/** What a lookup join runs in the task managers. */
@NullMarked
package io.bsdb.flink.lookup;

import org.jspecify.annotations.NullMarked;
