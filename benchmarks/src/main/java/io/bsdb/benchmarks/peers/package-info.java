/** bsdb and other embedded stores behind one small interface. */
@NullMarked
package io.bsdb.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
