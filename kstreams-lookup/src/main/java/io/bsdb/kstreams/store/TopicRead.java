package io.bsdb.kstreams.store;

import org.jspecify.annotations.Nullable;

/**
 * Result of {@link SnapshotStores#readTopic}.
 *
 * @param version of the base in service afterwards
 * @param records how many records were read
 * @param restarted why the topic was read from its start; null if the read continued where the one
 *     before had ended
 */
public record TopicRead(String version, long records, @Nullable String restarted) {}
