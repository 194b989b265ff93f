/** What a version of a table consists of, as its manifest says. */
@NullMarked
package io.bsdb.table.manifest;

import org.jspecify.annotations.NullMarked;
