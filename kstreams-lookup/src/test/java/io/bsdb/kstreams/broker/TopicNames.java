package io.bsdb.kstreams.broker;

/** What one test's application and topics are called. */
record TopicNames(String application) {
  String orders() {
    return application + "-orders";
  }

  /** Orders that could not be enriched. */
  String deadLetters() {
    return application + "-dead-letters";
  }

  String enriched() {
    return application + "-enriched";
  }
}
