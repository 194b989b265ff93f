/** Symbol tables: frequent strings of up to 8 bytes as codes of one byte, field by field. */
@Internal
@NullMarked
package io.bsdb.format.symbols;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
