/** The Java side of the comparison of readers in several languages. */
@NullMarked
package io.bsdb.benchmarks.readers;

import org.jspecify.annotations.NullMarked;
