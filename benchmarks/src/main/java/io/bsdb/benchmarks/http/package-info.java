/** Lookups over connections: the HTTP service beside a constant answer and Redis. */
@NullMarked
package io.bsdb.benchmarks.http;

import org.jspecify.annotations.NullMarked;
