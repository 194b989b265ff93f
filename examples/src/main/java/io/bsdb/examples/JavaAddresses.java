package io.bsdb.examples;

import io.bsdb.reader.KeyValue;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Finds the country of a million addresses, IPv4 and IPv6, in a table of 200,000 address blocks.
 * The blocks and their countries are made up: they follow one another with gaps, as real ones do,
 * but say nothing about the Internet.
 */
public final class JavaAddresses {
  private static final int BLOCKS_OF_A_KIND = 100_000;
  private static final int ADDRESSES = 1_000_000;
  private static final int BYTES = 16;
  private static final String[] COUNTRIES = {"AT", "BR", "CH", "IN", "JP", "KE", "US"};

  /** IPv4 addresses as part of IPv6, {@code ::ffff:0:0/96}, and those in use for IPv6. */
  private static final BigInteger IPV4 = new BigInteger("ffff01000000", 16);

  private static final BigInteger IPV6 = BigInteger.ONE.shiftLeft(125);

  private static final Schema SCHEMA =
      Schema.builder()
          .column("first", "BINARY(16) NOT NULL")
          .column("last", "BINARY(16) NOT NULL")
          .column("country", "STRING")
          .primaryKey("first")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  private JavaAddresses() {}

  /** Runs it with a directory for the table, which need not exist. */
  public static void main(String[] arguments) throws IOException {
    run(Path.of(arguments.length > 0 ? arguments[0] : "address-blocks"), System.out);
  }

  static void run(Path table, PrintStream out) throws IOException {
    RowCodec codec = RowCodec.of(SCHEMA);
    Random random = new Random(1);
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).schema(SCHEMA).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      makeBlocks(writer, codec, random, IPV4, 16);
      makeBlocks(writer, codec, random, IPV6, 98);
      writer.publish();
    }

    Map<String, Integer> found = new TreeMap<>();
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      OrderedReader blocks = reader.ordered();
      for (int i = 0; i < ADDRESSES; i++) {
        byte[] address =
            i % 2 == 0
                ? bytes(IPV4.add(new BigInteger(31, random)))
                : bytes(IPV6.add(new BigInteger(113, random)));
        found.merge(country(blocks, codec, address), 1, Integer::sum);
      }
    }
    out.println("addresses per country: " + found);
  }

  private static String country(OrderedReader blocks, RowCodec codec, byte[] address)
      throws IOException {
    KeyValue block = blocks.floor(codec.encodeKey((Object) address));
    if (block == null) {
      return "none";
    }
    Row row = codec.decode(block.key(), block.value());
    boolean inside = Arrays.compareUnsigned(address, row.bytes("last")) <= 0;
    String country = inside ? row.string("country") : null;
    return country == null ? "none" : country;
  }

  /** Adds blocks of up to {@code 2^(bits - 1)} addresses, after gaps now and then. */
  private static void makeBlocks(
      SnapshotWriter writer, RowCodec codec, Random random, BigInteger start, int bits)
      throws IOException {
    BigInteger first = start;
    for (int i = 0; i < BLOCKS_OF_A_KIND; i++) {
      BigInteger size = BigInteger.ONE.shiftLeft(bits - 1 - random.nextInt(5));
      BigInteger next = first.add(size);
      writer.add(
          codec.encodeKey((Object) bytes(first)),
          codec.encodeValue(
              bytes(next.subtract(BigInteger.ONE)), COUNTRIES[random.nextInt(COUNTRIES.length)]));
      first = random.nextInt(4) == 0 ? next.add(size) : next;
    }
  }

  /** The 16 bytes of an address. */
  private static byte[] bytes(BigInteger number) {
    byte[] significant = number.toByteArray();
    byte[] bytes = new byte[BYTES];
    int length = Math.min(BYTES, significant.length);
    System.arraycopy(significant, significant.length - length, bytes, BYTES - length, length);
    return bytes;
  }
}
