/** Metrics of readers. */
@NullMarked
package io.bsdb.reader.metrics;

import org.jspecify.annotations.NullMarked;
