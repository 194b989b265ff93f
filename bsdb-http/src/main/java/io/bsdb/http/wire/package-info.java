/** Connections and TLS, Jetty as this service uses it; and the limits of a server, by name. */
@Internal
@NullMarked
package io.bsdb.http.wire;

import io.bsdb.format.Internal;
import org.jspecify.annotations.NullMarked;
