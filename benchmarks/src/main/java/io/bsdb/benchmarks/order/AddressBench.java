package io.bsdb.benchmarks.order;

import com.maxmind.db.CHMCache;
import com.maxmind.db.MaxMindDbConstructor;
import com.maxmind.db.MaxMindDbParameter;
import com.maxmind.db.Reader;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.Schema;
import io.bsdb.table.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Finds the places of IPv4 addresses in blocks that are made up, here and with MaxMind's reader.
 * The first run writes the blocks as {@code blocks.csv}; {@code benchmarks/mmdb.py} makes {@code
 * blocks.mmdb} of it, which the second run reads.
 */
public final class AddressBench {
  private static final int BLOCKS = 300_000;
  private static final int PLACES = 20_000;
  private static final int QUERIES = 1 << 19;
  private static final int ROUNDS = 5;
  private static final String FIGURE = "address to place, ns";
  private static final Schema SCHEMA =
      Schema.builder()
          .column("first", "BIGINT NOT NULL")
          .column("last", "BIGINT NOT NULL")
          .column("country", "STRING")
          .column("city", "STRING")
          .column("latitude", "DOUBLE NOT NULL")
          .column("longitude", "DOUBLE NOT NULL")
          .primaryKey("first")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  private final InetAddress[] addresses = new InetAddress[QUERIES];
  private long sum;

  private AddressBench() throws IOException {
    Random random = new Random(5);
    for (int i = 0; i < QUERIES; i++) {
      int address = 0x01000000 + random.nextInt(0x60000000);
      addresses[i] = InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(address).array());
    }
  }

  /** The place of an address, as either contender finds it. */
  public record Place(
      @Nullable String country, @Nullable String city, double latitude, double longitude) {
    /** Is called by MaxMind's reader. */
    @MaxMindDbConstructor
    public Place(
        @MaxMindDbParameter(name = "country") @Nullable String country,
        @MaxMindDbParameter(name = "city") @Nullable String city,
        @MaxMindDbParameter(name = "latitude") double latitude,
        @MaxMindDbParameter(name = "longitude") double longitude) {
      this.country = country;
      this.city = city;
      this.latitude = latitude;
      this.longitude = longitude;
    }
  }

  /** Finds the place of an address; null if it is in no block. */
  private interface Places {
    @Nullable Place of(InetAddress address) throws IOException;
  }

  /** Writes the blocks, or finds addresses in them. */
  public static List<Section> run(Path directory) throws Exception {
    Files.createDirectories(directory);
    Path table = directory.resolve("blocks");
    Path csv = directory.resolve("blocks.csv");
    if (!Files.exists(csv)) {
      make(table, csv);
    }
    Path mmdb = directory.resolve("blocks.mmdb");
    if (!Files.exists(mmdb)) {
      Progress.step("now: python3 benchmarks/mmdb.py %s %s", csv, mmdb);
      return List.of();
    }
    AddressBench bench = new AddressBench();
    try (SnapshotReader reader = SnapshotReader.open(table);
        Reader plain = new Reader(mmdb.toFile());
        Reader cached = new Reader(mmdb.toFile(), new CHMCache())) {
      Map<String, Places> places = new LinkedHashMap<>();
      places.put("bsdb", blocks(reader));
      places.put("MaxMind", address -> plain.get(address, Place.class));
      places.put("MaxMind with its cache", address -> cached.get(address, Place.class));
      bench.check(places);
      Turns<Places> turns = new Turns<>(places);
      turns.time(FIGURE, ROUNDS, bench::find);
      Progress.step("checksum %d", bench.sum);
      return List.of(
          turns.section("Places of addresses, %,d blocks".formatted(BLOCKS), List.of(FIGURE)));
    }
  }

  private static Places blocks(SnapshotReader reader) {
    Schema schema = Objects.requireNonNull(reader.manifest().schema());
    KeyWriter writer = KeyWriter.of(schema);
    RowView row = new RowView(RowLayout.ofValues(schema));
    OrderedReader ordered = reader.ordered();
    return address -> {
      long number = ByteBuffer.wrap(address.getAddress()).getInt() & 0xFFFFFFFFL;
      KeyValue block = ordered.floor(writer.reset().writeLong(number).toBytes());
      if (block == null || number > row.wrap(block.value()).longAt(0)) {
        return null;
      }
      return new Place(row.stringAt(1), row.stringAt(2), row.doubleAt(3), row.doubleAt(4));
    };
  }

  private void check(Map<String, Places> places) throws IOException {
    int found = 0;
    for (InetAddress address : addresses) {
      Place expected = null;
      boolean first = true;
      for (Places each : places.values()) {
        Place place = each.of(address);
        if (!first && !Objects.equals(place, expected)) {
          throw new IllegalStateException(address + ": " + expected + " and " + place);
        }
        expected = place;
        first = false;
      }
      found += expected == null ? 0 : 1;
    }
    Progress.step("%.1f %% of the addresses are in a block", 100.0 * found / addresses.length);
  }

  private int find(Places places) throws IOException {
    for (InetAddress address : addresses) {
      Place place = places.of(address);
      sum += place == null || place.city() == null ? 1 : place.city().length();
    }
    return addresses.length;
  }

  /** Blocks of 2^8 to 2^14 addresses, each at a multiple of its size, with gaps. */
  private static void make(Path table, Path csv) throws IOException {
    Random random = new Random(6);
    RowCodec codec = RowCodec.of(SCHEMA);
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).schema(SCHEMA).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options);
        BufferedWriter out = Files.newBufferedWriter(csv)) {
      long next = 0x01000000;
      for (int i = 0; i < BLOCKS; i++) {
        int bits = 8 + random.nextInt(7);
        long first = (next + (1L << bits) - 1) >> bits << bits;
        next = first + (1L << bits);
        int place = random.nextInt(PLACES);
        String country = "" + (char) ('A' + place % 26) + (char) ('A' + place / 26 % 26);
        double latitude = place % 180 - 90 + 0.25;
        double longitude = place % 360 - 180 + 0.5;
        String city = "city number " + place;
        writer.add(
            codec.encodeKey(first),
            codec.encodeValue(next - 1, country, city, latitude, longitude));
        out.write(
            "%s/%d,%s,%s,%s,%s%n"
                .formatted(
                    InetAddress.getByAddress(ByteBuffer.allocate(4).putInt((int) first).array())
                        .getHostAddress(),
                    32 - bits,
                    country,
                    city,
                    latitude,
                    longitude));
      }
      writer.publish();
      Progress.step("%,d blocks up to %x", BLOCKS, next);
    }
  }
}
