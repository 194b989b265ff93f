/** State stores that begin with a snapshot, and the builds of such snapshots from topics. */
@NullMarked
package io.bsdb.kstreams.store;

import org.jspecify.annotations.NullMarked;
