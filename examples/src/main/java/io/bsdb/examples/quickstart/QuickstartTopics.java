package io.bsdb.examples.quickstart;

import io.bsdb.examples.cluster.EmbeddedKafka;
import io.bsdb.examples.quickstart.QuickstartReport.CountryCount;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.jspecify.annotations.Nullable;

/** The quickstart's two topics: the check-ins, and what became of them. */
record QuickstartTopics(EmbeddedKafka kafka, Admin admin) implements AutoCloseable {
  static final String CHECK_INS = "check-ins";
  static final String ENRICHED = "enriched-check-ins";

  private static final int PARTITIONS = 4;
  private static final long FIRST_SHOWN = 10;
  private static final long LAST_SHOWN = 19;

  static QuickstartTopics create(EmbeddedKafka kafka)
      throws ExecutionException, InterruptedException {
    kafka.createTopics(PARTITIONS, CHECK_INS, ENRICHED);
    return new QuickstartTopics(
        kafka, Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers())));
  }

  /**
   * Writes the stream.
   *
   * @param sent accepts the number of check-ins that have been written
   */
  void fill(CheckIns checkIns, long events, LongConsumer sent) throws IOException {
    kafka.send(
        events,
        number -> {
          sent.accept(number + 1);
          return new ProducerRecord<>(CHECK_INS, number, checkIns.at(number));
        },
        new LongSerializer(),
        JsonSerde.of(CheckIn.class).serializer());
  }

  /**
   * Returns how many check-ins the application has committed: their results are there to be read.
   */
  long committed(String application) throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> offsets =
        admin.listConsumerGroupOffsets(application).partitionsToOffsetAndMetadata().get();
    return offsets.values().stream().mapToLong(OffsetAndMetadata::offset).sum();
  }

  /**
   * Reads all committed results.
   *
   * @param seconds for which they were made
   * @throws IOException if a check-in came out twice
   */
  QuickstartReport read(double seconds) throws IOException {
    BitSet seen = new BitSet();
    Map<@Nullable String, Long> counts = new HashMap<>();
    Map<Long, List<@Nullable Object>> sample = new TreeMap<>();
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            kafka.bootstrapServers(),
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed");
    try (var consumer =
        new KafkaConsumer<>(
            settings, new LongDeserializer(), JsonSerde.of(EnrichedCheckIn.class).deserializer())) {
      List<TopicPartition> partitions =
          IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition(ENRICHED, i)).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<Long, EnrichedCheckIn> result : consumer.poll(Duration.ofSeconds(1))) {
          int number = Math.toIntExact(result.key());
          if (seen.get(number)) {
            throw new IOException("check-in %d came out twice".formatted(number));
          }
          seen.set(number);
          counts.merge(result.value().country(), 1L, Long::sum);
          if (number >= FIRST_SHOWN && number <= LAST_SHOWN) {
            sample.put(result.key(), columns(number, result.value()));
          }
        }
      }
    }
    return new QuickstartReport(List.copyOf(sample.values()), countries(counts), seconds);
  }

  private static List<@Nullable Object> columns(long number, EnrichedCheckIn result) {
    return Arrays.asList(
        number,
        result.user(),
        result.geonameId(),
        result.city(),
        result.country(),
        result.timezone(),
        result.population());
  }

  private static List<CountryCount> countries(Map<@Nullable String, Long> counts) {
    return counts.entrySet().stream()
        .map(each -> new CountryCount(each.getKey(), each.getValue()))
        .sorted(
            Comparator.comparingLong(CountryCount::count)
                .reversed()
                .thenComparing(
                    CountryCount::country, Comparator.nullsLast(Comparator.naturalOrder())))
        .toList();
  }

  @Override
  public void close() {
    admin.close();
  }
}
