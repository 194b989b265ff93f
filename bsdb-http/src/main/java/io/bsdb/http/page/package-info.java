/** Pages for people. */
@Internal
@NullMarked
package io.bsdb.http.page;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
