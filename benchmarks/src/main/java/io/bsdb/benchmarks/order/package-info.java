/** Compares tables in key order with tables in hash order and with other sorted stores. */
@NullMarked
package io.bsdb.benchmarks.order;

import org.jspecify.annotations.NullMarked;
