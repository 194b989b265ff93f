/** Output of files in large pages and with checksums. */
@Internal
@NullMarked
package io.bsdb.writer.file;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
