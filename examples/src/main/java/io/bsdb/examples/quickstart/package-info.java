/** The quickstarts: places built into a table, and check-ins joined with it. */
@NullMarked
package io.bsdb.examples.quickstart;

import org.jspecify.annotations.NullMarked;
