/**
 * For tests of topologies that use a {@link io.bsdb.kstreams.SnapshotLookup}: small tables to look
 * up and to swap. Brings no test library.
 */
@NullMarked
package io.bsdb.kstreams.testing;

import org.jspecify.annotations.NullMarked;
