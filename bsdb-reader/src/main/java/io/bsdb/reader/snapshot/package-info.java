/** Open snapshots: their files, the calls that use them, and what looks keys up in them. */
@Internal
@NullMarked
package io.bsdb.reader.snapshot;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
