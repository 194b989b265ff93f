/** What 'bsdb quickstart' runs. */
@NullMarked
package io.bsdb.quickstart;

import org.jspecify.annotations.NullMarked;
