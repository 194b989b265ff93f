/** What the tests of several modules share. */
@NullMarked
package io.bsdb.testkit;

import org.jspecify.annotations.NullMarked;
