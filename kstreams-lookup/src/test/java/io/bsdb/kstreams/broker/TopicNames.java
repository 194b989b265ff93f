package io.bsdb.kstreams.broker;

/** What one test's application and topics are called. */
record TopicNames(String application) {
  String orders() {
    return application + "-orders";
  }

  String enriched() {
    return application + "-enriched";
  }
}
