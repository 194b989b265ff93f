/** Records from queries and Parquet files, and Parquet files from records, through DuckDB. */
@Internal
@NullMarked
package io.bsdb.sql;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
