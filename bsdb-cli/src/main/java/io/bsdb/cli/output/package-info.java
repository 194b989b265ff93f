/** Output of commands: results, messages, progress, failures and exit statuses. */
@NullMarked
package io.bsdb.cli.output;

import org.jspecify.annotations.NullMarked;
