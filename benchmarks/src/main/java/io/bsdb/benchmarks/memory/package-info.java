/** Readers from disk within a memory budget. */
@NullMarked
package io.bsdb.benchmarks.memory;

import org.jspecify.annotations.NullMarked;
