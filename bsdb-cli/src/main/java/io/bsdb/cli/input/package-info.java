/** What a build reads: inputs, the formats of records in them, and rows on their way to records. */
@NullMarked
package io.bsdb.cli.input;

import org.jspecify.annotations.NullMarked;
