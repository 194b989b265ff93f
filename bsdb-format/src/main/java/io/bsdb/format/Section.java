package io.bsdb.format;

/**
 * One entry of a file's section directory.
 *
 * @param kind id on disk; see {@link SectionKind}. Never 0 or 0xFFFFFFFF
 * @param requirement whether a reader that does not know the kind may go on
 * @param offset where it starts, from the start of the file
 * @param length in bytes
 * @param checksum computed by {@link PartChecksum}; zero for the blocks
 * @hidden
 */
@Internal
public record Section(int kind, Requirement requirement, long offset, long length, int checksum) {
  /**
   * Says whether a reader may skip a section of a kind that it does not know.
   *
   * @hidden
   */
  public enum Requirement {
    REQUIRED,
    OPTIONAL
  }
}
