/** bsdb and other embedded stores under one small interface. */
@NullMarked
package io.bsdb.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
