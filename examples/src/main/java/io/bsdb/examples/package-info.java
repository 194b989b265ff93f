/** One runnable class per use. */
@NullMarked
package io.bsdb.examples;

import org.jspecify.annotations.NullMarked;
