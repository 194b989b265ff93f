package io.bsdb.reader.options;

/**
 * Extent of what is verified when a snapshot is opened. Blocks are verified whatever is chosen: on
 * first access, or on every disk read.
 */
public enum Verification {
  /**
   * Manifest, headers, footers, lengths, and the checksum of every section that the reader will
   * use, the blocks excepted.
   */
  METADATA,
  /**
   * Every byte of every file, by the checksums of the manifest. Takes as long as reading the
   * snapshot.
   */
  FULL
}
