/** The blocks of a partition file: their index, their inside, and how they are written. */
@NullMarked
package io.bsdb.format.block;

import org.jspecify.annotations.NullMarked;
