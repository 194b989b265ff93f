/** Changes tables row by row. */
@NullMarked
package io.bsdb.cli.change;

import org.jspecify.annotations.NullMarked;
