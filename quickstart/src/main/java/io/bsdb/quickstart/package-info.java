/** The programs of 'bsdb quickstart'. */
@NullMarked
package io.bsdb.quickstart;

import org.jspecify.annotations.NullMarked;
