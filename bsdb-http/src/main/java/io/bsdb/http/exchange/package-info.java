/**
 * One request and its answer: addresses, media types, problems, and what is counted and logged of
 * it.
 */
@Internal
@NullMarked
package io.bsdb.http.exchange;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
