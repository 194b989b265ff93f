package io.bsdb.table;

import java.util.UUID;

/**
 * What the manifest says of one partition file.
 *
 * @param partition from 0
 * @param name of the file within the snapshot's directory
 * @param fileId the file's own; its header and all checksums in it repeat it
 * @param length in bytes
 * @param checksum CRC-32C of the whole file
 * @param recordCount records in it
 * @param keyBytes sum of key lengths
 * @param valueBytes sum of value lengths
 */
public record PartitionFile(
    int partition,
    String name,
    UUID fileId,
    long length,
    int checksum,
    int recordCount,
    long keyBytes,
    long valueBytes) {}
