package io.bsdb.examples.quickstart;

import io.bsdb.examples.cluster.EmbeddedKafka;
import io.bsdb.examples.quickstart.QuickstartOutput.Live;
import io.bsdb.kstreams.SnapshotLookup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/**
 * The main job in Kafka Streams: a table of places is built, and a topology joins each of 1,000,000
 * check-ins with its place, exactly once. The broker and the application run inside this process.
 * The places are looked up in the table's versions, or are a global table that begins with the
 * table and goes on with a topic.
 */
public record KafkaStreamsQuickstart(
    QuickstartSettings settings, Join join, QuickstartOutput output) {
  private static final String APPLICATION = "bsdb-quickstart";
  private static final int THREADS = 2;
  private static final long COMMITTED_EVERY_MILLIS = 50;

  /** The table that the check-ins are joined with. */
  public enum Join {
    LOOKUP,
    GLOBAL_TABLE
  }

  /** Runs it with {@code [directory [places.csv.gz]]}. */
  public static void main(String[] arguments) throws Exception {
    QuickstartSettings settings = QuickstartSettings.of(arguments);
    QuickstartOutput output = new QuickstartOutput(System.out, System.err, Live.NO);
    System.exit(new KafkaStreamsQuickstart(settings, Join.LOOKUP, output).run() ? 0 : 1);
  }

  /**
   * Runs it.
   *
   * @return whether every check-in came out
   */
  public boolean run() throws IOException, InterruptedException {
    settings.requireCities();
    QuickstartDirectory directory = QuickstartDirectory.claim(settings.directory());
    Path log = directory.resolve("kafka.log");
    QuickstartLog.writeTo(log);
    output.message("A broker and Kafka Streams run inside this process; their log is " + log);
    try {
      return enrich(directory);
    } catch (InterruptedException | IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("Kafka failed: %s; see %s".formatted(e, log), e);
    }
  }

  private boolean enrich(QuickstartDirectory directory) throws Exception {
    Path cities =
        join == Join.LOOKUP ? directory.resolve("cities") : directory.cleared("global-cities");
    AtomicLong done = new AtomicLong();
    CheckIns checkIns;
    QuickstartReport report;
    try (var kafka = EmbeddedKafka.start(directory.cleared("kafka"));
        var topics = QuickstartTopics.create(kafka)) {
      try (var progress = output.start("1/4 a Java program builds the table")) {
        checkIns = new CheckIns(build(kafka, cities));
      }
      try (var progress =
          output.start("2/4 a producer writes the check-ins", done::get, settings.events())) {
        topics.fill(checkIns, settings.events(), done::set);
      }
      done.set(0);
      double seconds;
      Properties properties = properties(kafka, directory.cleared("kafka-streams"));
      try (var progress =
          output.start("3/4 a topology looks up their places", done::get, settings.events())) {
        seconds = run(cities, properties, topics, done);
      }
      try (var progress = output.start("4/4 a consumer counts what came out")) {
        report = topics.read(seconds);
      }
    }
    String enriched = "the topic " + QuickstartTopics.ENRICHED + ", which went with its broker";
    return report.print(output, cities, enriched, settings.events());
  }

  /** Builds the table, and returns the ids of the places. */
  private long[] build(EmbeddedKafka kafka, Path cities) throws Exception {
    return join == Join.LOOKUP
        ? Places.build(settings.citiesCsv(), cities)
        : PlacesTopic.fill(kafka, settings.citiesCsv(), cities);
  }

  private double run(Path cities, Properties properties, QuickstartTopics topics, AtomicLong done)
      throws Exception {
    if (join == Join.GLOBAL_TABLE) {
      return run(topology(cities), properties, topics, done);
    }
    try (SnapshotLookup<Long, Place> places =
        SnapshotLookup.<Long, Place>builder("cities").table(cities).rows(Place::of).build()) {
      return run(topology(places), properties, topics, done);
    }
  }

  /** Returns the main job: joins each check-in with its place. */
  static Topology topology(SnapshotLookup<Long, Place> places) {
    StreamsBuilder builder = new StreamsBuilder();
    KStream<Long, CheckIn> checkIns = checkIns(builder);
    send(places.leftJoin(checkIns, (number, checkIn) -> checkIn.geonameId(), EnrichedCheckIn::of));
    return builder.build();
  }

  /** Returns the main job with a global table that begins with a snapshot. */
  static Topology topology(Path base) {
    StreamsBuilder builder = new StreamsBuilder();
    GlobalKTable<String, Place> places = PlacesTopic.table(builder, base);
    send(
        checkIns(builder)
            .leftJoin(
                places,
                (number, checkIn) -> PlacesTopic.key(checkIn.geonameId()),
                EnrichedCheckIn::of));
    return builder.build();
  }

  private static KStream<Long, CheckIn> checkIns(StreamsBuilder builder) {
    return builder.stream(
        QuickstartTopics.CHECK_INS, Consumed.with(Serdes.Long(), JsonSerde.of(CheckIn.class)));
  }

  private static void send(KStream<Long, EnrichedCheckIn> enriched) {
    enriched.to(
        QuickstartTopics.ENRICHED,
        Produced.with(Serdes.Long(), JsonSerde.of(EnrichedCheckIn.class)));
  }

  private static Properties properties(EmbeddedKafka kafka, Path stateDirectory) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION);
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
    properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, THREADS);
    // Ten transactions per second and thread, the default, would be most of the work.
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
    return properties;
  }

  /** Runs the application until it has committed everything; the result is for how many seconds. */
  private double run(
      Topology topology, Properties properties, QuickstartTopics topics, AtomicLong done)
      throws Exception {
    CompletableFuture<Void> failed = new CompletableFuture<>();
    try (KafkaStreams streams = new KafkaStreams(topology, properties)) {
      streams.setUncaughtExceptionHandler(
          failure -> {
            failed.completeExceptionally(failure);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
          });
      long started = System.nanoTime();
      streams.start();
      while (done.get() < settings.events()) {
        throwIfFailed(failed);
        done.set(topics.committed(APPLICATION));
      }
      return (System.nanoTime() - started) / 1e9;
    }
  }

  /** Waits a moment for a failure. */
  private static void throwIfFailed(CompletableFuture<Void> failed)
      throws ExecutionException, InterruptedException {
    try {
      failed.get(COMMITTED_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // All is well so far.
    }
  }
}
