package io.bsdb.examples.quickstart;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/** Values of topics as JSON. */
final class JsonSerde {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonSerde() {}

  /** Returns a serde for values of a class; safe for many threads. */
  static <T> Serde<T> of(Class<T> type) {
    ObjectWriter writer = MAPPER.writerFor(type);
    ObjectReader reader = MAPPER.readerFor(type);
    return Serdes.serdeFrom(
        (topic, value) -> {
          try {
            return writer.writeValueAsBytes(value);
          } catch (JsonProcessingException e) {
            throw new SerializationException("topic " + topic + ": cannot write " + value, e);
          }
        },
        (topic, bytes) -> {
          try {
            return reader.readValue(bytes);
          } catch (IOException e) {
            throw new SerializationException("topic " + topic + ": no " + type.getName(), e);
          }
        });
  }
}
