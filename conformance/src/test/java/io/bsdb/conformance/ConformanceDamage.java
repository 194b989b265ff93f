package io.bsdb.conformance;

import static io.bsdb.format.SectionKind.BLOCK_INDEX;
import static io.bsdb.format.SectionKind.DICTIONARY;
import static io.bsdb.format.SectionKind.PERFECT_HASH;
import static io.bsdb.format.SectionKind.PROPERTIES;
import static io.bsdb.format.SectionKind.SIGNATURES;

import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.testkit.TablePieces;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The tables of {@code conformance/bad}: what is wrong with each, and what readers call it. */
final class ConformanceDamage {
  static final String CORRUPT = "corrupt";
  static final String UNSUPPORTED = "unsupported";
  static final String NOT_FOUND = "not found";

  /** A sound table that is damaged. */
  record Base(String name, Records data, WriterOptions options) {
    static final Base PLAIN = new Base("plain", towns(), compact().build());
    static final Base FIXED = fixed("fixed", Lengths.FIXED, 3, compact());
    static final Base FIXED_VALUES = fixed("fixed-values", Lengths.VARYING, 3, compact());
    static final Base BLOCKS = varying("blocks", 40, compact().blockSize(512));
    static final Base EVEN_BLOCKS =
        fixed("even-blocks", Lengths.FIXED, 120, compact().blockSize(512));
    static final Base PAGES = new Base("pages", towns(), compact().layout(Layout.BLOCKED).build());
    static final Base FRAMES =
        varying("frames", 20, compact().layout(Layout.COMPRESSED).frameSize(128));
    static final Base FIXED_FRAMES =
        fixed("fixed-frames", Lengths.FIXED, 3, compact().layout(Layout.COMPRESSED));
    static final Base PHRASES =
        new Base("phrases", Records.phrases(7, 1000), compact().layout(Layout.COMPRESSED).build());
    static final Base APPROXIMATE =
        new Base("approximate", towns(), compact().approximate().signatureBits(13).build());
    static final Base SUX4J =
        new Base("sux4j", towns(), compact().perfectHash(PerfectHashConstruction.SUX4J).build());

    private static Base fixed(String name, Lengths keys, int count, WriterOptions.Builder options) {
      return new Base(name, Records.random(1, count, keys, Lengths.FIXED, 4), options.build());
    }

    private static Base varying(String name, int count, WriterOptions.Builder options) {
      Records data = Records.random(2, count, Lengths.VARYING, Lengths.VARYING, 40);
      return new Base(name, data, options.build());
    }

    private static WriterOptions.Builder compact() {
      return WriterOptions.builder().layout(Layout.COMPACT).partitions(1);
    }

    private static Records towns() {
      Records towns = Records.empty();
      towns.add(ascii("Bern"), ascii("134591")).add(ascii("Genf"), ascii("203856"));
      return towns.add(ascii("Zug"), ascii("30934"));
    }
  }

  /**
   * One table.
   *
   * @param fails the class of the failure
   * @param full whether only full verification finds it
   */
  record Case(String name, String fails, boolean full, Base base, Consumer<TablePieces> change) {
    void write(Path bases, Path table) throws IOException {
      Path sound = bases.resolve(base.name());
      if (!Files.exists(sound)) {
        base.data.publish(sound, base.options);
      }
      TablePieces pieces = TablePieces.of(sound);
      change.accept(pieces);
      pieces.write(table);
    }
  }

  private final List<Case> cases = new ArrayList<>();

  private ConformanceDamage() {}

  static List<Case> all() {
    ConformanceDamage damage = new ConformanceDamage();
    damage.cases.addAll(ConformanceManifests.damage());
    damage.header();
    damage.footer();
    damage.sections();
    damage.properties();
    damage.perfectHash();
    damage.blockIndex();
    damage.cases.addAll(ConformanceBlocks.damage());
    damage.cases.addAll(ConformanceSymbols.damage());
    damage.cases.addAll(ConformanceOrder.damage());
    damage.cases.addAll(ConformanceHistory.damage());
    return damage.cases;
  }

  private void add(String name, String fails, Base base, Consumer<TablePieces> change) {
    cases.add(new Case(name, fails, false, base, change));
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  static Consumer<TablePieces> deleted(String file) {
    return pieces ->
        pieces.tableDamage =
            table -> {
              try (var all = Files.walk(table)) {
                Files.delete(all.filter(path -> path.endsWith(file)).findFirst().orElseThrow());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            };
  }

  static byte[] flip(byte[] bytes, int position) {
    bytes[position] ^= 1;
    return bytes;
  }

  private void header(String name, String fails, Consumer<ByteBuffer> change) {
    add("header-" + name, fails, Base.PLAIN, table -> table.headerChange = change);
  }

  private void file(String name, UnaryOperator<byte[]> damage) {
    add("file-" + name, CORRUPT, Base.PLAIN, table -> table.fileDamage = damage);
  }

  private void header() {
    add("file-missing", NOT_FOUND, Base.PLAIN, deleted("part-00000.bsdb"));
    file("empty", file -> new byte[0]);
    file("of-40-bytes", file -> Arrays.copyOf(file, 40));
    file("truncated", file -> Arrays.copyOf(file, file.length - 1));
    file("with-bytes-behind-its-end", file -> Arrays.copyOf(file, file.length + 8));
    add(
        "file-shorter-than-its-manifest-says",
        CORRUPT,
        Base.PLAIN,
        table ->
            table.manifestChange =
                text -> text.replaceFirst("\"length\" : [0-9]+", "\"length\" : 4096"));
    file("header-checksum", file -> flip(file, 60));
    file("footer-checksum", file -> flip(file, file.length - 12));
    file("end-magic", file -> flip(file, file.length - 1));
    header("magic", CORRUPT, header -> header.put(0, (byte) 0x88));
    header("format-version-2", UNSUPPORTED, header -> header.putInt(8, 2));
    header("format-version-highest", UNSUPPORTED, header -> header.putInt(8, -1));
    header("format-version-0", CORRUPT, header -> header.putInt(8, 0));
    add(
        "header-format-version-2-and-checksum",
        UNSUPPORTED,
        Base.PLAIN,
        table ->
            table.fileDamage =
                file -> {
                  file[8] = 2;
                  return file;
                });
    add(
        "header-of-another-file",
        CORRUPT,
        Base.PLAIN,
        table ->
            table.manifestChange =
                text -> ConformanceManifests.uuid(text, "fileId", "01234567-89ab"));
    header("blocks-elsewhere", CORRUPT, header -> header.putLong(32, 72));
    add("blocks-away-from-the-data-offset", CORRUPT, Base.PLAIN, table -> table.blocksOffset = 72);
    add(
        "blocks-not-aligned",
        CORRUPT,
        Base.PAGES,
        table -> {
          table.blocksOffset = 4160;
          table.headerChange = header -> header.putLong(32, 4160);
        });
  }

  private void footer(String name, String fails, Function<List<Section>, List<Section>> change) {
    add(
        "footer-" + name,
        fails,
        Base.PLAIN,
        table -> table.directory = entries -> change.apply(new ArrayList<>(entries)));
  }

  private static List<Section> with(List<Section> entries, Section entry) {
    entries.add(entry);
    return entries;
  }

  private static Section find(List<Section> entries, int kind) {
    return entries.stream().filter(entry -> entry.kind() == kind).findFirst().orElseThrow();
  }

  private static Section at(Section section, long offset, long length) {
    return new Section(section.kind(), section.requirement(), offset, length, 0);
  }

  private static List<Section> moved(List<Section> entries, int kind, long by, long longer) {
    entries.replaceAll(
        entry ->
            entry.kind() == kind ? at(entry, entry.offset() + by, entry.length() + longer) : entry);
    return entries;
  }

  private static Section optional(int kind, long offset, long length) {
    return new Section(kind, Section.Requirement.OPTIONAL, offset, length, 0);
  }

  private void footer() {
    footer(
        "section-required-and-unknown",
        UNSUPPORTED,
        entries -> with(entries, TablePieces.required(77, 64, 0)));
    footer("section-of-kind-0", CORRUPT, entries -> with(entries, optional(0, 64, 0)));
    footer("section-of-highest-kind", CORRUPT, entries -> with(entries, optional(-1, 64, 0)));
    footer("section-twice", CORRUPT, entries -> with(entries, find(entries, 2)));
    footer(
        "unknown-section-twice",
        CORRUPT,
        entries -> with(with(entries, optional(9, 64, 0)), optional(9, 64, 0)));
    footer("section-in-header", CORRUPT, entries -> with(entries, optional(9, 60, 4)));
    footer(
        "section-beyond-the-sections", CORRUPT, entries -> with(entries, optional(9, 64, 1 << 20)));
    footer("section-of-negative-length", CORRUPT, entries -> with(entries, optional(9, 64, -1)));
    footer("sections-overlap", CORRUPT, entries -> moved(entries, 5, 0, 1 + gap(entries)));
    footer("unknown-section-overlaps", CORRUPT, entries -> with(entries, optional(9, 65, 1)));
    for (SectionKind kind : List.of(SectionKind.BLOCKS, PROPERTIES, PERFECT_HASH, BLOCK_INDEX)) {
      footer(
          "section-missing-" + name(kind),
          CORRUPT,
          entries -> {
            entries.removeIf(entry -> entry.kind() == kind.id());
            return entries;
          });
    }
    footer(
        "of-257-sections",
        CORRUPT,
        entries -> {
          for (int kind = 100; entries.size() < 257; kind++) {
            entries.add(optional(kind, 64, 0));
          }
          return entries;
        });
  }

  /** Bytes between the block index and the section after it. */
  private static long gap(List<Section> entries) {
    Section index = find(entries, BLOCK_INDEX.id());
    return find(entries, PROPERTIES.id()).offset() - index.offset() - index.length();
  }

  private static String name(SectionKind kind) {
    return kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  private void sections() {
    for (SectionKind kind : SectionKind.values()) {
      if (kind != SectionKind.BLOCKS && kind != SectionKind.SYMBOLS) {
        add(
            "checksum-of-" + name(kind),
            CORRUPT,
            kind == SIGNATURES ? Base.APPROXIMATE : kind == DICTIONARY ? Base.PHRASES : Base.PLAIN,
            table -> {
              byte[] section = table.sections.get(kind.id());
              table.fileDamage = file -> flip(file, indexOf(file, section) + section.length - 1);
            });
      }
    }
    add(
        "section-missing-signatures",
        CORRUPT,
        Base.APPROXIMATE,
        table -> table.sections.remove(SIGNATURES.id()));
    add("signatures-too-short", CORRUPT, Base.APPROXIMATE, table -> table.resize(SIGNATURES, -1));
    add("signatures-too-long", CORRUPT, Base.APPROXIMATE, table -> table.resize(SIGNATURES, 1));
    cases.add(
        new Case(
            "full-gap-between-sections",
            CORRUPT,
            true,
            Base.PLAIN,
            table -> {
              byte[] hash = table.sections.get(PERFECT_HASH.id());
              String before = "checksum\" : \"";
              table.fileDamage = file -> flip(file, indexOf(file, hash) - 1);
              table.manifestChange =
                  text -> text.replaceFirst("(" + before + ")........", "$100000000");
            }));
  }

  static int indexOf(byte[] bytes, byte[] part) {
    for (int i = 0; i + part.length <= bytes.length; i++) {
      if (Arrays.equals(bytes, i, i + part.length, part, 0, part.length)) {
        return i;
      }
    }
    throw new IllegalStateException("no such bytes");
  }

  private void number(String name, Base base, SectionKind section, int offset, int value) {
    add(name, CORRUPT, base, table -> table.section(section).putInt(offset, value));
  }

  private void property(String name, int offset, int value) {
    number("properties-" + name, Base.PLAIN, PROPERTIES, offset, value);
  }

  private void properties() {
    add("properties-too-short", CORRUPT, Base.PLAIN, table -> table.resize(PROPERTIES, -1));
    property("record-count", 0, 4);
    property("key-storage", 4, 2);
    property("key-length-0", 8, 0);
    property("key-length-too-high", 8, 65_536);
    property("key-length-negative", 8, -2);
    property("value-length-too-high", 12, (1 << 28) + 1);
    property("value-length-negative", 12, -2);
    property("signature-bits", 16, 33);
    property("block-size-0", 20, 0);
    property("alignment", 24, 512);
    property("codec", 28, 3);
    property("longest-frame", 32, (1 << 28) + (1 << 20) + 1);
    property("longest-block", 36, (1 << 28) + (1 << 20) + 1);
    property("longest-block-too-low", 36, 60);
    property("key-bytes", 40, 12);
    property("value-bytes", 48, 18);
    add(
        "properties-blocks-without-records",
        CORRUPT,
        Base.PLAIN,
        table -> {
          table.section(PROPERTIES).putInt(0, 0);
          table.manifestChange = text -> text.replace("recordCount\" : 3", "recordCount\" : 0");
        });
  }

  private void perfectHash() {
    for (Base base : List.of(Base.PLAIN, Base.SUX4J)) {
      String name = base.equals(Base.PLAIN) ? "pilot-" : "sux4j-";
      number(name + "size", base, PERFECT_HASH, 4, 4);
      number(name + "part-count-0", base, PERFECT_HASH, 16, 0);
      number(name + "part-count-too-high", base, PERFECT_HASH, 16, 5);
      add(name + "too-long", CORRUPT, base, table -> table.resize(PERFECT_HASH, 1));
      add(name + "too-short", CORRUPT, base, table -> table.resize(PERFECT_HASH, -1));
    }
    add(
        "perfect-hash-kind",
        CORRUPT,
        Base.PLAIN,
        table -> table.section(PERFECT_HASH).put(0, (byte) 3));
    add(
        "perfect-hash-version",
        CORRUPT,
        Base.PLAIN,
        table -> table.section(PERFECT_HASH).put(1, (byte) 2));
    add(
        "perfect-hash-reserved",
        CORRUPT,
        Base.PLAIN,
        table -> table.section(PERFECT_HASH).put(2, (byte) 1));
    number("pilot-buckets-0", Base.PLAIN, PERFECT_HASH, 20, 0);
    number("pilot-remap-count", Base.PLAIN, PERFECT_HASH, 24, 4);
    number("pilot-reserved", Base.PLAIN, PERFECT_HASH, 28, 1);
    number("pilot-first-rank", Base.PLAIN, PERFECT_HASH, 32, 1);
    number("pilot-first-remap-position", Base.PLAIN, PERFECT_HASH, 36, 1);
    number("pilot-last-rank", Base.PLAIN, PERFECT_HASH, 40, 2);
    number("pilot-last-remap-position", Base.PLAIN, PERFECT_HASH, 44, 0);
    number("pilot-last-slot-seed", Base.PLAIN, PERFECT_HASH, 44, 1 | 1 << 24);
    number("sux4j-reserved", Base.SUX4J, PERFECT_HASH, 20, 1);
    number("sux4j-first-rank", Base.SUX4J, PERFECT_HASH, 24, 1);
    number("sux4j-last-rank", Base.SUX4J, PERFECT_HASH, 32, 4);
  }

  private void index(String name, Base base, int offset, int value) {
    number("block-index-" + name, base, BLOCK_INDEX, offset, value);
  }

  private void blockIndex() {
    add("block-index-too-short", CORRUPT, Base.PLAIN, table -> table.resize(BLOCK_INDEX, -1));
    index("block-count-0", Base.PLAIN, 0, 0);
    index("block-count-too-high", Base.PLAIN, 0, 4);
    index("uniform-records", Base.PLAIN, 4, 2);
    index("uniform-length", Base.EVEN_BLOCKS, 8, 501);
    index("uniform-length-short", Base.EVEN_BLOCKS, 8, 16);
    index("blocks-length", Base.PLAIN, 16, 60);
    index("sequence-count", Base.BLOCKS, 24, 2);
    index("sequence-low-bits", Base.BLOCKS, 28, 57);
    index("sequence-maximum", Base.BLOCKS, 36, 1 << 20);
    add(
        "block-index-sequence-ones",
        CORRUPT,
        Base.BLOCKS,
        table -> {
          ByteBuffer index = table.section(BLOCK_INDEX);
          int lowWords = (index.getInt(24) * index.getInt(28) + 63) / 64 + 1;
          index.putLong(24 + 16 + 8 * lowWords, 0);
        });
    add("block-index-sequence-cut", CORRUPT, Base.BLOCKS, table -> table.resize(BLOCK_INDEX, -1));
  }
}
