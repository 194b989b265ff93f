/** The manifest of a version: its partition files, changes and properties. */
@NullMarked
package io.bsdb.table.manifest;

import org.jspecify.annotations.NullMarked;
