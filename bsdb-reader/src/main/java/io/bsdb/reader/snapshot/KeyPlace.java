package io.bsdb.reader.snapshot;

import java.nio.file.Path;

/**
 * Place of a key's record, or where it would lie if there were one.
 *
 * @param partition its partition
 * @param file the partition file
 * @param rank in the partition; -1 if the signature shows that the key is absent, or if there is no
 *     perfect hash
 * @param block the number of the block in the file; -1 if the signature shows that the key is
 *     absent
 * @param blockOffset of the block in the file; -1 likewise
 * @param signatureBits per signature; 0 if the table has none
 * @param changed whether a change over the partition file decides on the key
 */
public record KeyPlace(
    int partition,
    Path file,
    int rank,
    int block,
    long blockOffset,
    int signatureBits,
    boolean changed) {}
