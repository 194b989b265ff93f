package io.bsdb.reader.diff;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.diff.SnapshotDiff.Difference;
import io.bsdb.reader.diff.SnapshotDiff.Position;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Compares versions slice by slice, with interruptions, beside maps of what they hold. */
public final class DiffModel {
  private final Path table;
  private final Random random;

  public DiffModel(Path table, Random random) {
    this.table = table;
    this.random = random;
  }

  /** Checks that what differs between two versions is what differs between two maps. */
  public void check(
      String first, Map<String, byte[]> before, String second, Map<String, byte[]> after)
      throws IOException {
    TreeMap<String, String> expected = new TreeMap<>();
    before.forEach((key, value) -> expected.put(key, text(value) + " to "));
    after.forEach(
        (key, value) ->
            expected.merge(key, "null to " + text(value), (old, added) -> old + text(value)));
    expected.replaceAll((key, text) -> text.endsWith(" to ") ? text + "null" : text);
    expected
        .keySet()
        .removeIf(
            key ->
                before.containsKey(key)
                    && after.containsKey(key)
                    && Arrays.equals(before.get(key), after.get(key)));
    TreeMap<String, String> found = new TreeMap<>();
    List<KeySlice> slices = slices(random.nextBoolean() ? first : second);
    for (KeySlice slice : slices) {
      compare(first, second, KeySlice.parse(slice.toString()), found);
    }
    assertThat(found).as("%s to %s in %s", first, second, slices).isEqualTo(expected);
  }

  private static String text(byte @Nullable [] value) {
    return value == null ? "null" : Arrays.hashCode(value) + "/" + value.length;
  }

  private List<KeySlice> slices(String version) throws IOException {
    try (SnapshotReader reader =
        SnapshotReader.openVersion(table, version, ReaderOptions.defaults())) {
      if (random.nextBoolean()) {
        return KeySlice.ofPartitions(reader.manifest());
      }
      if (reader.manifest().order() == RecordOrder.KEY && random.nextBoolean()) {
        return List.of(
            KeySlice.ofKeys(new byte[0], "k0005".getBytes(ISO_8859_1)),
            KeySlice.ofKeys("k0005".getBytes(ISO_8859_1), null));
      }
    }
    int shares = 1 + random.nextInt(3);
    List<KeySlice> slices = new ArrayList<>();
    for (int i = 0; i < shares; i++) {
      slices.add(KeySlice.ofHashes(new KeyShare(i, shares)));
    }
    return slices;
  }

  /** Stops now and then, and goes on from a position as text with other readers. */
  private void compare(String first, String second, KeySlice slice, Map<String, String> found)
      throws IOException {
    Access[] modes = Access.values();
    ReaderOptions options =
        ReaderOptions.builder()
            .share(slice.share())
            .access(modes[random.nextInt(modes.length)])
            .build();
    Position position = null;
    boolean ended = false;
    while (!ended) {
      int most = random.nextInt(4) == 0 ? random.nextInt(20) : Integer.MAX_VALUE;
      try (SnapshotReader from = SnapshotReader.openVersion(table, first, options);
          SnapshotReader to =
              random.nextBoolean()
                  ? from.next(table, Table.at(table).manifest(second), options)
                  : SnapshotReader.openVersion(table, second, options);
          SnapshotDiff diff = SnapshotDiff.between(from, to, slice, position, () -> false)) {
        for (int i = 0; i < most && !ended; i++) {
          Difference next = diff.next();
          ended = next == null;
          if (next != null) {
            assertThat(slice.contains(next.key())).isTrue();
            String before =
                found.put(
                    new String(next.key(), ISO_8859_1),
                    text(next.before()) + " to " + text(next.after()));
            assertThat(before).as("key came twice").isNull();
          }
        }
        position = Position.parse(diff.position().toString());
      }
    }
  }
}
