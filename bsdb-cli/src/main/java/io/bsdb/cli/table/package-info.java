/** What commands share: the table that they are about. */
@NullMarked
package io.bsdb.cli.table;

import org.jspecify.annotations.NullMarked;
