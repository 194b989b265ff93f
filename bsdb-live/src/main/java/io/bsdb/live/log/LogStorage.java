package io.bsdb.live.log;

import io.bsdb.reader.io.FileMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The operations on files that a log consists of: where tests inject faults and crashes. */
public interface LogStorage {
  /** An open file, for writing. */
  interface LogFile extends Closeable {
    /** Writes all of a buffer's remaining bytes. */
    void write(ByteBuffer bytes, long position) throws IOException;

    /**
     * Allocates space for a length, which reads as zeros.
     *
     * @return false where that is not possible
     */
    boolean allocate(long length) throws IOException;

    /** Cuts the file off after a length. */
    void truncate(long length) throws IOException;

    /** Makes all writes, and the length, durable. */
    void force() throws IOException;
  }

  /** Returns the names of all files, sorted. */
  List<String> list() throws IOException;

  /** Opens a file; an empty one if it is to be created. */
  LogFile open(String name, boolean create) throws IOException;

  /** Maps a file to be read, or copies it. */
  FileMemory map(String name) throws IOException;

  long length(String name) throws IOException;

  /** Returns whether a file has other names, too, as in a copy of hard links of the table. */
  boolean isShared(String name) throws IOException;

  void rename(String from, String to) throws IOException;

  void delete(String name) throws IOException;

  /** Makes creations, renames and deletions durable. */
  void syncDirectory() throws IOException;

  /** Returns the path of a file, for messages. */
  String path(String name);
}
