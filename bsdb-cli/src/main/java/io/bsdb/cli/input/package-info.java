/** Inputs of a build, the formats of their records, and rows on their way to records. */
@NullMarked
package io.bsdb.cli.input;

import org.jspecify.annotations.NullMarked;
