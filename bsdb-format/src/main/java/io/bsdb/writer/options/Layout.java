package io.bsdb.writer.options;

/** Arrangement of records in blocks. Readers need no option for it: the files tell. */
public enum Layout {
  /**
   * Blocks padded to whole pages; no record crosses a block. One page per lookup, for mapped and
   * direct reads.
   */
  BLOCKED("blocked"),
  /** Blocks back to back. A few percent smaller than {@link #BLOCKED}. */
  COMPACT("compact"),
  /** Small zstd frames with a trained dictionary, packed back to back into blocks. */
  COMPRESSED("compressed"),
  /**
   * The same frames, as many to a page as fit: larger by half a frame per page, but no lookup reads
   * a second page.
   */
  COMPRESSED_PAGES("compressed-pages"),
  /**
   * Blocks as in {@link #BLOCKED}; strings are encoded with symbol tables, one for each column. A
   * third to three quarters of the size, for lookups that take a fifth to a half longer; two to
   * three times as long where records have one length, where {@link #BLOCKED} computes the places.
   */
  SYMBOLS("symbols");

  private final String label;

  Layout(String label) {
    this.label = label;
  }

  /** Returns the name in options and manifests. */
  public String label() {
    return label;
  }

  /** Returns the layout with this label. */
  public static Layout of(String label) {
    for (Layout layout : values()) {
      if (layout.label.equals(label)) {
        return layout;
      }
    }
    throw new IllegalArgumentException(
        "unknown layout '%s': expected blocked, compact, compressed, compressed-pages or symbols"
            .formatted(label));
  }

  public boolean isCompressed() {
    return this == COMPRESSED || this == COMPRESSED_PAGES;
  }

  public int alignment() {
    return this == BLOCKED || this == COMPRESSED_PAGES || this == SYMBOLS
        ? io.bsdb.format.SnapshotFormat.PAGE
        : 1;
  }
}
