/** Tables on the file systems that Flink reaches. */
@NullMarked
package io.bsdb.flink.storage;

import org.jspecify.annotations.NullMarked;
