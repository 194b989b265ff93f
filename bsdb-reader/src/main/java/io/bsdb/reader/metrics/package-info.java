/** What readers count. */
@NullMarked
package io.bsdb.reader.metrics;

import org.jspecify.annotations.NullMarked;
