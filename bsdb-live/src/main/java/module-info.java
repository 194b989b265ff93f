/** Tables that are written in place, durably, by one process. */
module io.bsdb.live {
  requires static transitive org.jspecify;
  requires transitive io.bsdb.reader;
  requires com.dynatrace.hash4j;
  requires org.slf4j;

  exports io.bsdb.live;
}
