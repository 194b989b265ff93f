package io.bsdb.flink.scan;

import org.apache.flink.api.connector.source.SourceSplit;

/**
 * One partition of one version.
 *
 * @param version of the table
 * @param partition in {@code [0, partitionCount)}
 * @param position how many of its records have been read
 */
record ScanSplit(String version, int partition, long position) implements SourceSplit {
  @Override
  public String splitId() {
    return version + "/" + partition;
  }
}
