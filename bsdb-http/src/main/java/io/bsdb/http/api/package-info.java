/** Answers for programs. */
@Internal
@NullMarked
package io.bsdb.http.api;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
