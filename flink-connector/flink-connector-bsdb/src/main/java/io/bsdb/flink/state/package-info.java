/** Serializers for what parts of a job send each other. */
@Internal
@NullMarked
package io.bsdb.flink.state;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
