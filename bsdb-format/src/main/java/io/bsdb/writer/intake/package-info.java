/** Records on their way into a build: spilled to files by hash, or sorted into runs. */
@Internal
@NullMarked
package io.bsdb.writer.intake;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
