/** Builds snapshots. */
@NullMarked
package io.bsdb.cli.build;

import org.jspecify.annotations.NullMarked;
