package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.ChecksummedJson;
import io.bsdb.format.FileFooter;
import io.bsdb.format.Section;
import io.bsdb.format.Section.Requirement;
import io.bsdb.reader.ForgedSnapshotTest.Shape;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots whose contents are random and whose checksums are right: whatever is asked ends in some
 * answer or in one of our exceptions, within seconds and a heap of 1 GiB. {@code mvn test -Pfuzz
 * -Dcampaign.minutes=60}
 */
@Tag("fuzz")
class FuzzCampaignTest {
  private static final Duration LONGEST_ROUND = Duration.ofSeconds(60);
  private static final List<Access> ACCESSES = List.of(Access.values());
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  /** A table to be forged. */
  private record Victim(Path table, TestData data, Forgery forgery, Path manifest, String sound) {}

  @Test
  void forgeriesDoNoHarm() throws Exception {
    List<Victim> victims = new ArrayList<>();
    for (Shape shape : Shape.values()) {
      victims.add(victim(shape));
    }
    try (Campaign campaign = Campaign.start("fuzz")) {
      while (campaign.nextRound()) {
        Random random = campaign.random();
        Victim victim = victims.get(random.nextInt(victims.size()));
        String what = "seed %d in %s".formatted(campaign.seed(), victim.table);
        if (random.nextInt(4) == 0) {
          ObjectNode root = (ObjectNode) JSON.readTree(victim.sound);
          for (int i = random.nextInt(3); i >= 0; i--) {
            change(root, random);
          }
          Files.write(victim.manifest, ChecksummedJson.encode(root));
          campaign.count("manifests");
        } else {
          forge(victim.forgery, random);
          campaign.count("partition files");
        }
        ReaderOptions options =
            ReaderOptions.builder()
                .access(ACCESSES.get(random.nextInt(ACCESSES.size())))
                .blockCacheBytes(random.nextInt(2) * 100_000L)
                .build();
        long open = FileMemory.openCount();
        Assertions.assertTimeoutPreemptively(
            LONGEST_ROUND, () -> HarmlessReads.of(victim.table, victim.data, options, what), what);
        assertThat(FileMemory.openCount()).as(what).isEqualTo(open);
        Files.writeString(victim.manifest, victim.sound);
        victim.forgery.write(victim.forgery.copy());
      }
    }
  }

  private Victim victim(Shape shape) throws IOException {
    Path table = Files.createDirectory(directory.resolve(shape.name()));
    TestData data = shape.data();
    Forgery forgery = shape.publish(table, data);
    Path manifest =
        table
            .resolve("snapshots")
            .resolve(Table.at(table).requireCurrentVersion())
            .resolve("manifest.json");
    return new Victim(table, data, forgery, manifest, Files.readString(manifest));
  }

  /** Changes figures anywhere in a file, and perhaps what its footer says. */
  private static void forge(Forgery forgery, Random random) throws IOException {
    ByteBuffer changed = forgery.copy();
    List<Section> sections = new ArrayList<>(forgery.footer().sections());
    for (int i = random.nextInt(6); i >= 0; i--) {
      Section section = sections.get(random.nextInt(sections.size()));
      boolean inside = random.nextInt(4) > 0 && section.length() > 0;
      int position =
          inside
              ? (int) (section.offset() + random.nextInt((int) Math.min(200, section.length())))
              : random.nextInt(changed.limit());
      position = Math.floorMod(position, changed.limit() - Long.BYTES);
      switch (random.nextInt(5)) {
        case 0 -> changed.put(position, (byte) figure(random));
        case 1 -> changed.putShort(position, (short) figure(random));
        case 2 -> changed.putInt(position, (int) figure(random));
        case 3 -> changed.putLong(position, figure(random));
        default -> {
          if (random.nextInt(4) == 0) {
            int index = random.nextInt(sections.size());
            sections.set(index, changed(sections.get(index), random));
          }
        }
      }
    }
    forgery.write(changed, new FileFooter(sections));
  }

  private static Section changed(Section section, Random random) {
    int field = random.nextInt(4);
    Requirement other =
        section.requirement() == Requirement.REQUIRED ? Requirement.OPTIONAL : Requirement.REQUIRED;
    return new Section(
        field == 0 ? (int) figure(random) : section.kind(),
        field == 1 ? other : section.requirement(),
        field == 2 ? figure(random) : section.offset(),
        field == 3 ? figure(random) : section.length(),
        section.checksum());
  }

  /** Small, next to a power of two, or any. */
  private static long figure(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> random.nextInt(300) - 20;
      case 1 -> (1L << random.nextInt(64)) + random.nextInt(3) - 1;
      default -> random.nextLong();
    };
  }

  /** Changes some member, at any depth. */
  private static void change(ObjectNode object, Random random) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    if (names.isEmpty()) {
      return;
    }
    String name = names.get(random.nextInt(names.size()));
    JsonNode value = object.get(name);
    if (value instanceof ObjectNode inner && random.nextInt(4) > 0) {
      change(inner, random);
    } else if (value instanceof ArrayNode array && !array.isEmpty() && random.nextInt(4) > 0) {
      int index = random.nextInt(array.size());
      if (array.get(index) instanceof ObjectNode inner && random.nextInt(4) > 0) {
        change(inner, random);
      } else {
        array.add(array.get(index).deepCopy());
      }
    } else {
      switch (random.nextInt(6)) {
        case 0 -> object.remove(name);
        case 1 -> object.put(name, figure(random));
        case 2 -> object.put(name, text(value.asText(), random));
        case 3 -> object.putNull(name);
        case 4 -> object.putArray(name).add(figure(random));
        default -> object.putObject(name).put(name, figure(random));
      }
    }
  }

  private static String text(String old, Random random) {
    StringBuilder text = new StringBuilder(old);
    int at = random.nextInt(text.length() + 1);
    return text.insert(at, (char) random.nextInt(0xD800)).toString();
  }
}
