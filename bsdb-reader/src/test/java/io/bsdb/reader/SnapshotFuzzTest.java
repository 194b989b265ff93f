package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bsdb.format.FileFooter;
import io.bsdb.format.Section;
import io.bsdb.format.Section.Requirement;
import io.bsdb.reader.ForgedSnapshotTest.Shape;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sound partition files, changed as the fuzzer says, with all checksums put right again: opening,
 * lookups, scans and verification end in some answer or in one of our exceptions.
 */
class SnapshotFuzzTest {
  private static final List<Shape> SHAPES = List.of(Shape.values());
  private static final int CHANGE_BYTES = 7;

  @TempDir static Path directory;
  private static final Map<Shape, Victim> VICTIMS = new EnumMap<>(Shape.class);

  /** A table to be forged. */
  private record Victim(Path table, TestData data, Forgery forgery) {
    static Victim of(Shape shape) {
      try {
        Path table = Files.createDirectory(directory.resolve(shape.name()));
        TestData data = shape.data();
        return new Victim(table, data, shape.publish(table, data));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** One sound file of each shape, then files with one change of each sort. */
  static Stream<byte[]> changes() {
    List<byte[]> inputs = new ArrayList<>();
    for (int shape = 0; shape < 2 * SHAPES.size(); shape++) {
      inputs.add(new byte[] {(byte) shape});
      for (byte sort = 0; sort < 5; sort++) {
        inputs.add(new byte[] {(byte) shape, sort, 68, 0, 1, 0, 0, 0});
      }
    }
    return inputs.stream();
  }

  /**
   * @param input the shape and the way of reading, then changes: sort, position in two bytes,
   *     figure in four
   */
  @MethodSource("changes")
  @FuzzTest(maxDuration = "3m30s")
  void changedFile(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    int choice = Math.floorMod(input[0], 2 * SHAPES.size());
    Victim victim = VICTIMS.computeIfAbsent(SHAPES.get(choice / 2), Victim::of);
    Access access = choice % 2 == 0 ? Access.MAPPED : Access.DIRECT;
    Forgery forgery = victim.forgery;
    ByteBuffer changed = forgery.copy();
    List<Section> sections = new ArrayList<>(forgery.footer().sections());
    ByteBuffer changes = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).position(1);
    while (changes.remaining() >= CHANGE_BYTES) {
      int sort = changes.get();
      int place = changes.getShort() & 0xFFFF;
      change(changed, sections, sort, place, changes.getInt());
    }
    forgery.write(changed, new FileFooter(sections));
    long open = FileMemory.openCount();
    ReaderOptions options = ReaderOptions.builder().access(access).build();
    HarmlessReads.of(victim.table, victim.data, options, "changed file");
    assertThat(FileMemory.openCount()).isEqualTo(open);
  }

  private static void change(
      ByteBuffer file, List<Section> sections, int sort, int place, int figure) {
    int position = place % (file.limit() - Long.BYTES);
    switch (Math.floorMod(sort, 5)) {
      case 0 -> file.put(position, (byte) figure);
      case 1 -> file.putShort(position, (short) figure);
      case 2 -> file.putInt(position, figure);
      case 3 -> file.putLong(position, (long) figure << (sort >>> 3));
      default -> {
        int index = place % sections.size();
        sections.set(index, changed(sections.get(index), place / sections.size(), figure));
      }
    }
  }

  private static Section changed(Section section, int field, long figure) {
    int kind = field % 4 == 0 ? (int) figure : section.kind();
    Requirement requirement =
        field % 4 == 1
            ? (figure % 2 == 0 ? Requirement.OPTIONAL : Requirement.REQUIRED)
            : section.requirement();
    long offset = field % 4 == 2 ? figure : section.offset();
    long length = field % 4 == 3 ? figure : section.length();
    return new Section(kind, requirement, offset, length, section.checksum());
  }
}
