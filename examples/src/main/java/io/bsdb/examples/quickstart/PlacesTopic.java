package io.bsdb.examples.quickstart;

import io.bsdb.examples.cluster.EmbeddedKafka;
import io.bsdb.kstreams.store.SnapshotStores;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.Materialized;

/** The places in a topic, and a snapshot with which a global table of them begins. */
final class PlacesTopic {
  private static final String NAME = "places";
  private static final Serde<String> KEYS = Serdes.String();
  private static final Serde<Place> VALUES = JsonSerde.of(Place.class);

  /** Places that the topic has and the snapshot does not: the store reads them from the topic. */
  private static final int AFTER_THE_BASE = 1_000;

  private PlacesTopic() {}

  /**
   * Fills the topic, and builds the snapshot before its last records are written.
   *
   * @param csv the places, with a header line, compressed by gzip
   * @param base the directory of the snapshot's table
   * @return the ids of the places, from the lowest
   */
  static long[] fill(EmbeddedKafka kafka, Path csv, Path base) throws Exception {
    List<Map.Entry<Long, Place>> places = new ArrayList<>();
    Places.read(csv, row -> places.add(Map.entry(Places.number(row, "geoname_id"), Place.of(row))));
    var early = places.subList(0, places.size() - AFTER_THE_BASE);
    kafka.createTopics(1, NAME);
    send(kafka, early);
    build(kafka, early, base);
    send(kafka, places.subList(early.size(), places.size()));
    return places.stream().mapToLong(Map.Entry::getKey).sorted().toArray();
  }

  private static void send(EmbeddedKafka kafka, List<Map.Entry<Long, Place>> places)
      throws IOException {
    kafka.send(
        places.size(),
        number -> {
          Map.Entry<Long, Place> place = places.get((int) number);
          return new ProducerRecord<>(NAME, key(place.getKey()), place.getValue());
        },
        KEYS.serializer(),
        VALUES.serializer());
  }

  /** Keys and values are the bytes of the topic's records; positions say how many of these. */
  private static void build(EmbeddedKafka kafka, List<Map.Entry<Long, Place>> places, Path base)
      throws Exception {
    Map<String, String> positions;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      positions = SnapshotStores.endPositions(admin, NAME);
    }
    WriterOptions options = WriterOptions.builder().sourcePositions(positions).build();
    try (SnapshotWriter writer = SnapshotWriter.create(base, options)) {
      for (Map.Entry<Long, Place> place : places) {
        writer.add(
            KEYS.serializer().serialize(NAME, key(place.getKey())),
            VALUES.serializer().serialize(NAME, place.getValue()));
      }
      writer.publish();
    }
  }

  /** Adds a global table of the topic that begins with the snapshot. */
  static GlobalKTable<String, Place> table(StreamsBuilder builder, Path base) {
    return builder.globalTable(
        NAME,
        Consumed.with(KEYS, VALUES),
        Materialized.as(SnapshotStores.keyValue("places").base(base)));
  }

  /** Returns the key of a place in the topic. */
  static String key(long geonameId) {
    return Long.toString(geonameId);
  }
}
