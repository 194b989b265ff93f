package io.bsdb.format;

/**
 * The sections that this library knows, with their ids on disk.
 *
 * @hidden
 */
@Internal
public enum SectionKind {
  /** The blocks. Each carries its own checksum; the section's is zero. */
  BLOCKS(1),
  /** Counts, lengths and the shape of blocks: {@link PartitionProperties}. */
  PROPERTIES(2),
  PERFECT_HASH(3),
  SIGNATURES(4),
  BLOCK_INDEX(5),
  /** The zstd dictionary of this partition's frames. */
  DICTIONARY(6),
  /** The symbol tables of this partition's records. */
  SYMBOLS(7),
  /** In key order: from a key to its block. */
  ORDER_INDEX(8),
  /** In key order: the record number of each rank of the perfect hash. */
  POSITIONS(9),
  /** In key order, with frames: some bits of each record's key. */
  HEADS(10);

  private final int id;

  SectionKind(int id) {
    this.id = id;
  }

  public int id() {
    return id;
  }
}
