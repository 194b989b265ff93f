package io.bsdb.table;

import io.bsdb.format.Internal;
import java.io.Serializable;
import java.util.UUID;

/**
 * The point up to which the data of a build includes the changes of a table.
 *
 * @param version that the data is at least as new as
 * @param line of versions to which it belongs
 * @param segment the last one that it has
 * @hidden
 */
@Internal
public record AsOf(String version, UUID line, long segment) implements Serializable {}
