/** Open partition files: found, verified, walked through. */
@Internal
@NullMarked
package io.bsdb.reader.partition;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
