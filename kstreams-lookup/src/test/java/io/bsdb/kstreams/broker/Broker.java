package io.bsdb.kstreams.broker;

/** A Kafka broker of its own for tests. */
interface Broker extends AutoCloseable {
  String bootstrapServers();

  @Override
  void close() throws Exception;
}
