/** A durable writable table: changes of one process over a snapshot, in a log. */
@NullMarked
package io.bsdb.live;

import org.jspecify.annotations.NullMarked;
