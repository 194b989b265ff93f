/**
 * Writes snapshots and describes tables and rows. What is exported to named modules only is
 * internal and may change in any release.
 */
@SuppressWarnings("module") // those that internal packages are exported to are compiled later
module io.bsdb.format {
  requires static transitive org.jspecify;
  // Only whoever builds a perfect hash of the sux4j kind has it.
  requires static it.unimi.dsi.sux4j;
  requires static it.unimi.dsi.dsiutils;
  requires com.dynatrace.hash4j;
  requires com.fasterxml.jackson.databind;
  requires com.github.luben.zstd_jni;
  requires java.management;
  requires org.slf4j;

  exports io.bsdb.format;
  exports io.bsdb.format.io;
  exports io.bsdb.row;
  exports io.bsdb.table;
  exports io.bsdb.table.manifest;
  exports io.bsdb.table.storage;
  exports io.bsdb.writer;
  exports io.bsdb.writer.options;
  exports io.bsdb.format.block to
      io.bsdb.reader;
  exports io.bsdb.format.hash to
      io.bsdb.live,
      io.bsdb.reader;
  exports io.bsdb.format.index to
      io.bsdb.reader;
  exports io.bsdb.format.segment to
      io.bsdb.live,
      io.bsdb.reader;
  exports io.bsdb.format.symbols to
      io.bsdb.cli,
      io.bsdb.reader;
  exports io.bsdb.writer.work to
      io.bsdb.reader;
  exports io.bsdb.row.text to
      io.bsdb.cli,
      io.bsdb.flink,
      io.bsdb.http,
      io.bsdb.sql;
}
