package io.bsdb.writer.options;

import io.bsdb.format.Internal;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.SnapshotFormat;

/**
 * Arrangement of records in blocks: a choice of properties that a partition file states, so readers
 * need no option for it.
 */
public enum Layout {
  /**
   * Blocks padded to whole pages; no record crosses a block. One page per lookup, for mapped and
   * direct reads.
   */
  BLOCKED("blocked", SnapshotFormat.PAGE, Codec.NONE, "one page per lookup"),
  /** Blocks back to back. A few percent smaller than {@link #BLOCKED}. */
  COMPACT("compact", 1, Codec.NONE, "no padding"),
  /** Small zstd frames with a trained dictionary, packed back to back into blocks. */
  COMPRESSED("compressed", 1, Codec.ZSTD, "zstd with a dictionary"),
  /**
   * The same frames, as many to a page as fit: larger by half a frame per page, but no lookup reads
   * a second page.
   */
  COMPRESSED_PAGES(
      "compressed-pages",
      SnapshotFormat.PAGE,
      Codec.ZSTD,
      "zstd with a dictionary, one page per lookup"),
  /**
   * Blocks as in {@link #BLOCKED}; strings are encoded with symbol tables, one for each column. A
   * third to three quarters of the size, for lookups that take a fifth to a half longer; two to
   * three times as long where records have one length, where {@link #BLOCKED} computes the places.
   */
  SYMBOLS("symbols", SnapshotFormat.PAGE, Codec.SYMBOLS, "a symbol table per column");

  private final String label;
  private final int alignment;
  private final Codec codec;
  private final String summary;

  Layout(String label, int alignment, Codec codec, String summary) {
    this.label = label;
    this.alignment = alignment;
    this.codec = codec;
    this.summary = summary;
  }

  /** Returns the name in options and manifests. */
  public String label() {
    return label;
  }

  /** Returns what block offsets and lengths are multiples of, in bytes. */
  public int alignment() {
    return alignment;
  }

  /**
   * Returns the encoding of records. A partition without records has none, nor has one for which
   * symbol tables would save nothing.
   *
   * @hidden
   */
  @Internal
  public Codec codec() {
    return codec;
  }

  /**
   * Returns what distinguishes it, for lists of all layouts.
   *
   * @hidden
   */
  @Internal
  public String summary() {
    return summary;
  }
}
