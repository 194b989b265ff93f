/** The table that a command is about. */
@NullMarked
package io.bsdb.cli.table;

import org.jspecify.annotations.NullMarked;
