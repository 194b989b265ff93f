/** JMH benchmarks of one component each. */
@NullUnmarked // state is filled by the harness
package io.bsdb.benchmarks.micro;

import org.jspecify.annotations.NullUnmarked;
