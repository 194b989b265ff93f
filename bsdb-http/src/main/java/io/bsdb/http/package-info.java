/** Serves lookups in tables over HTTP. */
@NullMarked
package io.bsdb.http;

import org.jspecify.annotations.NullMarked;
