/** Keys and rows as text and JSON, in the form that {@code docs/FORMAT.md} specifies. */
@NullMarked
package io.bsdb.row.text;

import org.jspecify.annotations.NullMarked;
