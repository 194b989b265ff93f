package io.bsdb.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.format.symbols.RecordEncoder;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.format.symbols.SymbolTrainer;
import io.bsdb.format.symbols.ValueDecoder;
import io.bsdb.format.symbols.ValueShape;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Values come out of symbol tables byte for byte, rows or not, and never grow by much. */
class EncodedRowsTest {
  /** Random schemas for which symbols are found; not all have some. */
  private static final int TABLES = 20;

  private static final int MOST_ADDED = 2;

  private static @Nullable RecordSymbols train(ValueShape shape, List<byte[]> values) {
    SymbolTrainer trainer = new SymbolTrainer(shape, true);
    byte[] key = "some key".getBytes(StandardCharsets.UTF_8);
    for (byte[] value : values) {
      trainer.add(record(key, value), 0, key.length, key.length, value.length);
    }
    return trainer.train(100);
  }

  private static ByteBuffer record(byte[] key, byte[] value) {
    return ByteBuffer.allocate(key.length + value.length).put(key).put(value);
  }

  private static byte[] encode(RecordEncoder encoder, byte[] value) {
    encoder.encode(ByteBuffer.wrap(value), 0, 0, 0, value.length);
    return Arrays.copyOf(encoder.encoded(), encoder.valueLength());
  }

  private static byte[] decode(
      ValueDecoder decoder, byte[] encoded, int limit, FieldSelection wanted)
      throws CorruptSnapshotException {
    int first = encoded.length == 0 ? 0 : encoded[0] & 0xFF;
    first |= encoded.length < 2 ? 0 : (encoded[1] & 0xFF) << 8;
    int prefix = decoder.verbatim(first, encoded.length);
    if (prefix >= 0) {
      return Arrays.copyOfRange(encoded, prefix, encoded.length);
    }
    int length = decoder.value(encoded, 0, encoded.length, limit, wanted);
    return Arrays.copyOf(decoder.plain(), length);
  }

  private static Map<String, Object> row(RandomRows random, Schema schema) {
    Map<String, Object> row = new LinkedHashMap<>();
    for (Column column : schema.columns()) {
      row.put(column.name(), random.value(column.type()));
    }
    return row;
  }

  @Test
  void randomRowsOfRandomSchemasComeOutAsTheyWere() throws Exception {
    long seed = System.nanoTime();
    RandomRows random = new RandomRows(seed);
    Random bytes = new Random(seed);
    int tables = 0;
    for (int s = 0; tables < TABLES; s++) {
      assertThat(s).as("schemas of which %d have symbols, seed %d", tables, seed).isLessThan(5_000);
      Schema schema = random.schema();
      String reproduction = "seed " + seed + ", schema " + s + ": " + schema;
      RowCodec codec = RowCodec.of(schema);
      List<byte[]> values = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        values.add(codec.encodeValue(row(random, schema)));
      }
      RecordSymbols symbols = train(RowLayout.ofValues(schema).shape(), values);
      if (symbols == null) {
        continue;
      }
      tables++;
      for (int i = 0; i < 60; i++) { // not all of them rows any more
        byte[] changed = values.get(i).clone();
        for (int k = bytes.nextInt(3); k >= 0 && changed.length > 0; k--) {
          changed[bytes.nextInt(changed.length)] ^= (byte) (1 << bytes.nextInt(8));
        }
        values.add(Arrays.copyOf(changed, bytes.nextInt(changed.length + 3)));
      }
      symbols = RecordSymbols.decode(symbols.encode(), "f", 0);
      RecordEncoder encoder = new RecordEncoder(symbols);
      ValueDecoder decoder = new ValueDecoder(symbols);
      for (byte[] value : values) {
        byte[] encoded = encode(encoder, value);
        assertThat(encoded.length).as(reproduction).isLessThanOrEqualTo(value.length + MOST_ADDED);
        assertThat(decode(decoder, encoded, value.length, FieldSelection.ALL))
            .as(reproduction)
            .isEqualTo(value);
        damage(decoder, encoded, bytes, value.length + 100, reproduction);
      }
    }
  }

  /** Damaged bytes give some value, or an exception; never more than the limit. */
  private static void damage(
      ValueDecoder decoder, byte[] encoded, Random random, int limit, String reproduction) {
    byte[] damaged = Arrays.copyOf(encoded, random.nextInt(encoded.length + 2));
    for (int k = random.nextInt(3); k >= 0 && damaged.length > 0; k--) {
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
    }
    try {
      byte[] some = decode(decoder, damaged, limit, FieldSelection.ALL);
      assertThat(some.length).as(reproduction).isLessThanOrEqualTo(Math.max(limit, damaged.length));
    } catch (CorruptSnapshotException | IndexOutOfBoundsException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  private static final Schema PLACES =
      Schema.builder()
          .column("id", "INT")
          .column("name", "STRING")
          .column("people", "BIGINT")
          .column("zone", "STRING")
          .column("tags", "ARRAY<STRING>")
          .primaryKey("id")
          .build();

  private static List<byte[]> places(int count) {
    RowCodec codec = RowCodec.of(PLACES);
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = i % 7 == 0 ? null : "place number " + i;
      values.add(codec.encodeValue(name, (long) i, "Europe/Zurich", List.of("old", "town")));
    }
    return values;
  }

  @Test
  void columnsThatNobodyWantsComeOutEmpty() throws Exception {
    List<byte[]> values = places(200);
    RowLayout layout = RowLayout.ofValues(PLACES);
    RecordSymbols symbols = train(layout.shape(), values);
    RecordEncoder encoder = new RecordEncoder(symbols);
    ValueDecoder decoder = new ValueDecoder(symbols);
    byte[] encoded = encode(encoder, values.get(8));
    assertThat(encoded.length).isLessThan(values.get(8).length / 2);
    byte[] some = decode(decoder, encoded, 1000, layout.select(1, 2));
    RowView row = new RowView(layout).wrap(some);
    assertThat(row.stringAt(0)).isEmpty();
    assertThat(row.longAt(1)).isEqualTo(8);
    assertThat(row.stringAt(2)).isEqualTo("Europe/Zurich");
  }

  @Test
  void valuesOfOtherLengthsThanTheFileStatesAreDamage() throws Exception {
    List<byte[]> values = places(200);
    RecordSymbols symbols = train(RowLayout.ofValues(PLACES).shape(), values);
    byte[] encoded = encode(new RecordEncoder(symbols), values.get(3));
    ValueDecoder decoder = new ValueDecoder(symbols);
    for (int limit = 0; limit < values.get(3).length; limit++) {
      int most = limit;
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () -> decode(decoder, encoded, most, FieldSelection.ALL))
          .isInstanceOfAny(CorruptSnapshotException.class, IndexOutOfBoundsException.class);
    }
    assertThat(decode(decoder, encoded, values.get(3).length, FieldSelection.ALL))
        .isEqualTo(values.get(3));
  }

  @Test
  void longValuesAreStoredAsTheyAre() throws Exception {
    for (ValueShape shape : List.of(ValueShape.string(), RowLayout.ofValues(PLACES).shape())) {
      RecordSymbols symbols = train(shape, places(200));
      byte[] value = new byte[64 << 20];
      byte[] encoded = encode(new RecordEncoder(symbols), value);
      assertThat(encoded.length).isBetween(value.length + 1, value.length + MOST_ADDED);
      assertThat(
              Arrays.equals(
                  decode(new ValueDecoder(symbols), encoded, 10, FieldSelection.ALL), value))
          .isTrue();
    }
  }

  @Test
  void nothingPaysForBytesThatHaveNothingInCommon() {
    Random random = new Random(1);
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      byte[] value = new byte[50];
      random.nextBytes(value);
      values.add(value);
    }
    SymbolTrainer trainer = new SymbolTrainer(ValueShape.string(), false);
    values.forEach(value -> trainer.add(ByteBuffer.wrap(value), 0, 0, 0, value.length));
    assertThat(trainer.train(1)).isNull();
  }
}
