/** The {@code bsdb} command. */
@NullMarked
package io.bsdb.cli;

import org.jspecify.annotations.NullMarked;
