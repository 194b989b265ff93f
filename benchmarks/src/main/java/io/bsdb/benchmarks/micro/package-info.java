/** JMH benchmarks of one component each: {@code benchmarks/run jmh}. */
@NullUnmarked // state is filled by the harness
package io.bsdb.benchmarks.micro;

import org.jspecify.annotations.NullUnmarked;
