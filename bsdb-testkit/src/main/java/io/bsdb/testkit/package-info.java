/** Test helpers that several modules use. */
@NullMarked
package io.bsdb.testkit;

import org.jspecify.annotations.NullMarked;
