/** Looks keys up in snapshots, in memory and on disk, and follows the versions of a table. */
@SuppressWarnings("module") // the one that internal packages are exported to is compiled later
module io.bsdb.reader {
  requires static transitive org.jspecify;
  requires transitive io.bsdb.format;
  requires com.dynatrace.hash4j;
  requires com.github.benmanes.caffeine;
  requires com.sun.jna;
  // The size of the machine's memory.
  requires jdk.management;
  // Direct I/O, and releasing mapped files before Java 22.
  requires jdk.unsupported;
  requires org.slf4j;

  exports io.bsdb.compact;
  exports io.bsdb.reader;
  exports io.bsdb.reader.diff;
  exports io.bsdb.reader.follow;
  exports io.bsdb.reader.memory;
  exports io.bsdb.reader.metrics;
  exports io.bsdb.reader.options;
  exports io.bsdb.reload;
  exports io.bsdb.reader.io to
      io.bsdb.live;
  exports io.bsdb.reader.overlay to
      io.bsdb.live;
  exports io.bsdb.reader.snapshot to
      io.bsdb.http,
      io.bsdb.live;
}
