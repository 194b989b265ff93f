/** Keys and rows as text and JSON, in the form that {@code docs/FORMAT.md} specifies. */
@Internal
@NullMarked
package io.bsdb.row.text;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
