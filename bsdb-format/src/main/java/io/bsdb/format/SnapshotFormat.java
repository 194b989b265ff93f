package io.bsdb.format;

import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * Constants and offsets of format versions 1 and 2; the mirror of docs/FORMAT.md. No other class
 * knows an offset. All integers are little-endian and unsigned.
 *
 * @hidden
 */
@Internal
public final class SnapshotFormat {
  /** The highest format version of a manifest that this library reads. */
  public static final int VERSION = 2;

  /** The format version of partition files. */
  static final int FILE_VERSION = 1;

  public static final String MANIFEST_FILE = "manifest.json";
  public static final String CURRENT_FILE = "CURRENT";
  public static final String SNAPSHOTS_DIRECTORY = "snapshots";
  public static final String DATA_DIRECTORY = "data";
  public static final String LOG_DIRECTORY = "log";
  public static final String OWNER_FILE = "OWNER";
  public static final String STAGING_DIRECTORY = "staging";

  /** Longest key in bytes; the shortest has one. */
  public static final int MAX_KEY_LENGTH = 65_535;

  /** Longest value in bytes. */
  public static final int MAX_VALUE_LENGTH = 256 << 20;

  /** Maximum number of records in one partition. */
  public static final int MAX_PARTITION_RECORDS = 1 << 27;

  public static final int MAX_PARTITIONS = 1 << 16;

  /** Longest index section: each must fit one {@link ByteBuffer}. */
  public static final long MAX_SECTION_LENGTH = 1L << 30;

  /** Unit of alignment of page-aligned layouts: a page of memory and of direct I/O. */
  public static final int PAGE = 4096;

  // File header
  static final long HEADER_MAGIC = 0x1A0A0D4244534289L; // 89 'B' 'S' 'D' 'B' 0D 0A 1A
  static final int HEADER_VERSION = 8;
  static final int HEADER_FILE_ID = 16;
  static final int HEADER_DATA_OFFSET = 32;
  static final int HEADER_CHECKSUM = 60;
  public static final int HEADER_LENGTH = 64;

  // Footer: section directory, then the tail
  static final int ENTRY_KIND = 0;
  static final int ENTRY_FLAGS = 4;
  static final int ENTRY_OFFSET = 8;
  static final int ENTRY_LENGTH = 16;
  static final int ENTRY_CHECKSUM = 24;
  static final int ENTRY_BYTES = 32;
  static final int ENTRY_REQUIRED = 1;
  static final int MAX_SECTIONS = 256;
  static final long TAIL_MAGIC = 0x444E454244534289L; // 89 'B' 'S' 'D' 'B' 'E' 'N' 'D'
  static final int TAIL_DIRECTORY_OFFSET = 0;
  static final int TAIL_FILE_LENGTH = 8;
  static final int TAIL_SECTION_COUNT = 16;
  static final int TAIL_CHECKSUM = 20;
  static final int TAIL_END_MAGIC = 24;
  public static final int TAIL_LENGTH = 32;

  // Block header
  public static final int BLOCK_CHECKSUM = 0;
  public static final int BLOCK_CONTENT_LENGTH = 4;
  public static final int BLOCK_FIRST_RANK = 8;
  public static final int BLOCK_RECORD_COUNT = 12;
  public static final int BLOCK_FLAGS = 14;
  public static final int BLOCK_FRAME_PLAIN_LENGTH = 16;
  public static final int BLOCK_FRAME_RECORDS = 20;
  public static final int BLOCK_HEADER_LENGTH = 24;
  public static final int BLOCK_FLAG_FRAMES = 1;
  public static final int BLOCK_MAX_RECORDS = 65_535;

  /** Bytes of a slot or of a frame directory entry. */
  public static final int SLOT_BYTES = 2;

  /**
   * Longest body that slots can address, even an empty record at its end; a longer one holds a
   * single record.
   */
  public static final int MAX_SLOTTED_BODY = 65_535;

  private SnapshotFormat() {}

  /** Returns a checksum as messages print it. */
  public static String hex(int checksum) {
    return String.format(Locale.ROOT, "%08x", checksum);
  }
}
