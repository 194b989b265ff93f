package io.bsdb.conformance;

import static io.bsdb.format.SectionKind.BLOCK_INDEX;
import static io.bsdb.format.SectionKind.DICTIONARY;
import static io.bsdb.format.SectionKind.PERFECT_HASH;
import static io.bsdb.format.SectionKind.PROPERTIES;
import static io.bsdb.format.SectionKind.SIGNATURES;

import com.github.luben.zstd.ZstdCompressCtx;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.testkit.FileParts;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.testkit.TablePieces;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.ByteArrayOutputStream;
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
  private static final String CORRUPT = "corrupt";
  private static final String UNSUPPORTED = "unsupported";
  private static final String NOT_FOUND = "not found";

  /** A sound table that is damaged. */
  record Base(String name, Records data, WriterOptions options) {
    private static final Base PLAIN = new Base("plain", towns(), compact().build());
    private static final Base FIXED = fixed("fixed", Lengths.FIXED, 3, compact());
    private static final Base FIXED_VALUES = fixed("fixed-values", Lengths.VARYING, 3, compact());
    private static final Base BLOCKS = varying("blocks", 40, compact().blockSize(512));
    private static final Base EVEN_BLOCKS =
        fixed("even-blocks", Lengths.FIXED, 120, compact().blockSize(512));
    private static final Base PAGES =
        new Base("pages", towns(), compact().layout(Layout.BLOCKED).build());
    private static final Base FRAMES =
        varying("frames", 20, compact().layout(Layout.COMPRESSED).frameSize(128));
    private static final Base FIXED_FRAMES =
        fixed("fixed-frames", Lengths.FIXED, 3, compact().layout(Layout.COMPRESSED));
    private static final Base PHRASES =
        new Base("phrases", Records.phrases(7, 1000), compact().layout(Layout.COMPRESSED).build());
    private static final Base APPROXIMATE =
        new Base("approximate", towns(), compact().approximate().signatureBits(13).build());
    private static final Base SUX4J =
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
    damage.current();
    damage.manifest();
    damage.header();
    damage.footer();
    damage.sections();
    damage.properties();
    damage.perfectHash();
    damage.blockIndex();
    damage.blocks();
    damage.records();
    damage.frames();
    damage.cases.addAll(ConformanceSymbols.damage());
    damage.cases.addAll(ConformanceOrder.damage());
    damage.cases.addAll(ConformanceHistory.damage());
    return damage.cases;
  }

  private void add(String name, String fails, Base base, Consumer<TablePieces> change) {
    cases.add(new Case(name, fails, false, base, change));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void current(String name, String fails, UnaryOperator<String> change) {
    add(
        "current-" + name,
        fails,
        Base.PLAIN,
        table ->
            table.currentDamage =
                bytes -> ascii(change.apply(new String(bytes, StandardCharsets.US_ASCII))));
  }

  private static Consumer<TablePieces> deleted(String file) {
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

  private void current() {
    add("current-missing", NOT_FOUND, Base.PLAIN, deleted("CURRENT"));
    current("empty", CORRUPT, text -> "");
    current("without-line-feed", CORRUPT, String::strip);
    current("with-carriage-return", CORRUPT, text -> text.strip() + "\r\n");
    current("of-two-lines", CORRUPT, text -> text + text);
    current("upper-case", CORRUPT, text -> text.substring(0, 11) + "ABCDEF01\n");
    current("outside-of-the-table", CORRUPT, text -> "../" + text);
    current("names-no-directory", NOT_FOUND, text -> "0000000009-0a1b2c3d\n");
  }

  private void text(String name, String fails, String old, String changed) {
    manifest(
        name,
        fails,
        text -> {
          if (!text.contains(old)) {
            throw new IllegalStateException("the manifest does not hold " + old);
          }
          return text.replace(old, changed);
        });
  }

  private void manifest(String name, String fails, UnaryOperator<String> change) {
    add("manifest-" + name, fails, Base.PLAIN, table -> table.manifestChange = change);
  }

  private void bytes(String name, String fails, UnaryOperator<byte[]> damage) {
    add("manifest-" + name, fails, Base.PLAIN, table -> table.manifestDamage = damage);
  }

  private void manifest() {
    add("manifest-missing", NOT_FOUND, Base.PLAIN, deleted("manifest.json"));
    bytes("empty", CORRUPT, bytes -> new byte[0]);
    bytes("truncated", CORRUPT, bytes -> Arrays.copyOf(bytes, bytes.length - 1));
    bytes("byte-behind-its-end", CORRUPT, bytes -> Arrays.copyOf(bytes, bytes.length + 1));
    bytes(
        "checksum",
        CORRUPT,
        bytes -> flip(bytes, new String(bytes, StandardCharsets.UTF_8).indexOf("compact")));
    bytes(
        "checksum-upper-case",
        CORRUPT,
        bytes -> {
          int at = bytes.length - 12;
          Arrays.fill(bytes, at, at + 8, (byte) 'A');
          return bytes;
        });
    String version = "\"formatVersion\" : 1";
    text("format-version-3", UNSUPPORTED, version, "\"formatVersion\" : 3");
    bytes(
        "format-version-3-and-checksum",
        UNSUPPORTED,
        bytes -> {
          bytes[new String(bytes, StandardCharsets.UTF_8).indexOf(version) + version.length() - 1] =
              '3';
          return bytes;
        });
    text("format-version-huge", UNSUPPORTED, version, "\"formatVersion\" : 1" + "0".repeat(30));
    text("format-version-0", CORRUPT, version, "\"formatVersion\" : 0");
    text("format-version-negative", CORRUPT, version, "\"formatVersion\" : -1");
    text("format-version-with-fraction", CORRUPT, version, "\"formatVersion\" : 1.0");
    text("format-version-as-string", CORRUPT, version, "\"formatVersion\" : \"1\"");
    text("format-version-missing", CORRUPT, version, "\"format\" : 1");
    text("other-hash", UNSUPPORTED, "XXH3-128, seed 0", "XXH3-128, seed 1");
    text("hash-missing", CORRUPT, "\"hash\"", "\"hashes\"");
    text("hash-null", CORRUPT, "\"XXH3-128, seed 0\"", "null");
    text("member-twice", CORRUPT, version, version + ", \"formatVersion\" : 1");
    text("unknown-member-twice", CORRUPT, version, version + ", \"a\" : 1, \"a\" : 1");
    text("member-of-partition-twice", CORRUPT, "\"keyBytes\"", "\"keyBytes\" : 11, \"keyBytes\"");
    text("member-of-options-twice", CORRUPT, "\"layout\"", "\"layout\" : \"\", \"layout\"");
    text("parent-null", CORRUPT, "\"hash\"", "\"parent\" : null, \"hash\"");
    text("schema-null", CORRUPT, "\"hash\"", "\"schema\" : null, \"hash\"");
    text("property-null", CORRUPT, "\"properties\" : { }", "\"properties\" : { \"a\" : null }");
    text("property-number", CORRUPT, "\"properties\" : { }", "\"properties\" : { \"a\" : 1 }");
    text("properties-missing", CORRUPT, "\"properties\"", "\"others\"");
    manifest(
        "of-another-version",
        CORRUPT,
        text -> text.replaceFirst("\"version\" : \"0", "\"version\" : \"1"));
    manifest("version-malformed", CORRUPT, text -> text.replaceFirst("(\"version\" : \")0", "$1"));
    manifest(
        "partitions-as-object",
        CORRUPT,
        text -> text.replace("[ {", "{\"a\":{").replace("} ]", "} }"));
    manifest(
        "partitions-empty",
        CORRUPT,
        text ->
            text.replaceAll("(?s)\\[ \\{.*} ]", "[ ]")
                .replace("recordCount\" : 3", "recordCount\" : 0"));
    manifest("partition-null", CORRUPT, text -> text.replace("} ]", "}, null ]"));
    manifest(
        "partition-twice",
        CORRUPT,
        text -> text.replaceAll("(?s)\\[ (\\{.*}) ]", "[ $1, $1 ]").replaceFirst(": 3", ": 6"));
    text("file-name-with-slash", CORRUPT, "part-00000", "../part-00000");
    manifest("file-id-of-other-groups", CORRUPT, text -> uuid(text, "fileId", "0011223-34455"));
    manifest("file-id-upper-case", CORRUPT, text -> uuid(text, "fileId", "ABCDEF01-0203"));
    manifest(
        "snapshot-id-of-other-groups", CORRUPT, text -> uuid(text, "snapshotId", "0011223-34455"));
    manifest("created-with-offset", CORRUPT, text -> created(text, "2026-11-20T08:30:00+00:00"));
    manifest(
        "created-with-nanoseconds",
        CORRUPT,
        text -> created(text, "2026-11-20T08:30:00.123456789Z"));
    manifest("created-in-month-13", CORRUPT, text -> created(text, "2026-13-20T08:30:00Z"));
    text(
        "record-count-with-fraction",
        CORRUPT,
        "\"recordCount\" : 3,\n  \"hash",
        "\"recordCount\" : 3.0,\n  \"hash");
    text(
        "record-count-of-partition-too-high",
        CORRUPT,
        "\"recordCount\" : 3",
        "\"recordCount\" : 134217729");
    text(
        "record-count-not-the-sum",
        CORRUPT,
        "\"recordCount\" : 3,\n  \"hash",
        "\"recordCount\" : 4,\n  \"hash");
    text("key-bytes-negative", CORRUPT, "\"keyBytes\" : 11", "\"keyBytes\" : -11");
    text("number-too-long", CORRUPT, version, version + ", \"a\" : " + "9".repeat(1001));
    text("number-not-finite", CORRUPT, version, version + ", \"a\" : NaN");
    manifest("byte-order-mark", CORRUPT, text -> "\ufeff" + text);
    text("not-utf-8", CORRUPT, version, version + ", \"a\" : \"\u00ff\"");
    text(
        "unpaired-surrogate",
        CORRUPT,
        "\"properties\" : { }",
        "\"properties\" : { \"a\" : \"\\ud800\" }");
    text("trailing-comma", CORRUPT, "\"valueBytes\" : 17", "\"valueBytes\" : 17,");
    text(
        "nested-33-deep",
        CORRUPT,
        version,
        version + ", \"a\" : " + "[".repeat(32) + "]".repeat(32));
    text("type-unknown", UNSUPPORTED, "\"hash\"", schema("GEOMETRY NOT NULL") + ", \"hash\"");
    text(
        "key-encoding-unknown",
        UNSUPPORTED,
        "\"hash\"",
        schema("STRING").replace("{\"columns", "{\"keyEncoding\" : \"collated\", \"columns")
            + ", \"hash\"");
    text("key-of-array", CORRUPT, "\"hash\"", schema("ARRAY<INT> NOT NULL") + ", \"hash\"");
  }

  private static String schema(String type) {
    return "\"schema\" : {\"columns\" : [{\"name\" : \"a\", \"type\" : \"%s\"}], \"primaryKey\" : [\"a\"]}"
        .formatted(type);
  }

  private static String uuid(String text, String name, String start) {
    return text.replaceFirst("(\"" + name + "\" : \").{13}", "$1" + start);
  }

  private static String created(String text, String time) {
    return text.replaceFirst("(\"createdAt\" : \")[^\"]+", "$1" + time);
  }

  private static byte[] flip(byte[] bytes, int position) {
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
        table -> table.manifestChange = text -> uuid(text, "fileId", "01234567-89ab"));
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

  private static int indexOf(byte[] bytes, byte[] part) {
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

  private void blocks() {
    add(
        "block-checksum",
        CORRUPT,
        Base.PLAIN,
        table -> table.fileDamage = file -> flip(file, indexOf(file, ascii("134591"))));
    add("blocks-swapped", CORRUPT, Base.EVEN_BLOCKS, TablePieces::swapBlocks);
    add("block-content-length-23", CORRUPT, Base.PLAIN, table -> table.block(0).putInt(4, 23));
    add("block-content-too-long", CORRUPT, Base.PLAIN, table -> table.block(0).putInt(4, 62));
    add("block-content-too-short", CORRUPT, Base.PLAIN, table -> table.block(0).putInt(4, 60));
    add("block-longer-than-its-pages", CORRUPT, Base.PAGES, table -> table.padBlock(0, 4096));
    add("block-first-rank", CORRUPT, Base.PLAIN, table -> table.block(0).putInt(8, 1));
    add("block-record-count", CORRUPT, Base.PLAIN, table -> table.block(0).putShort(12, (short) 2));
    add(
        "block-without-frames",
        CORRUPT,
        Base.FRAMES,
        table -> table.block(0).putShort(14, (short) 0));
    add("block-with-frames", CORRUPT, Base.PLAIN, table -> table.block(0).putShort(14, (short) 1));
    content("block-of-fixed-records-too-long", Base.FIXED, content -> Arrays.copyOf(content, 37));
    content("block-of-fixed-records-too-short", Base.FIXED, content -> Arrays.copyOf(content, 35));
  }

  private void content(String name, Base base, UnaryOperator<byte[]> change) {
    add(name, CORRUPT, base, table -> table.content(0, change.apply(table.content(0))));
  }

  private void records() {
    content("slot-0-too-high", Base.PLAIN, content -> put(content, 0, 7, 0));
    content("slot-0-too-low", Base.PLAIN, content -> put(content, 0, 5, 0));
    content("slot-within-slots", Base.PLAIN, content -> put(content, 2, 4, 0));
    content("slots-decrease", Base.PLAIN, content -> put(content, 2, 29, 0));
    content("slot-beyond-block", Base.PLAIN, content -> put(content, 4, 200, 0));
    content("key-length-0", Base.PLAIN, content -> put(content, 6, 0));
    content("key-length-not-minimal", Base.PLAIN, content -> firstKey(content, 0x84, 0));
    content(
        "key-length-not-minimal-of-3-bytes",
        Base.PLAIN,
        content -> firstKey(content, 0x84, 0x80, 0));
    content("key-length-0-not-minimal", Base.PLAIN, content -> firstKey(content, 0x80, 0));
    content("key-length-of-4-bytes", Base.PLAIN, content -> firstKey(content, 0x84, 0x80, 0x80, 0));
    content("key-longer-than-record", Base.PLAIN, content -> put(content, 6, 12));
    content("key-longer-than-65535", Base.PLAIN, ConformanceDamage::longKey);
    content(
        "value-of-other-length",
        Base.FIXED_VALUES,
        content -> Arrays.copyOf(content, content.length + 1));
  }

  private static byte[] put(byte[] content, int offset, int... octets) {
    for (int i = 0; i < octets.length; i++) {
      content[offset + i] = (byte) octets[i];
    }
    return content;
  }

  /** Replaces the length of the first key, one byte, by these bytes; the other records move. */
  private static byte[] firstKey(byte[] content, int... length) {
    ByteArrayOutputStream changed = new ByteArrayOutputStream();
    ByteBuffer slots = FileParts.littleEndian(content);
    for (int i = 2; i < 6; i += 2) {
      slots.putShort(i, (short) (slots.getShort(i) + length.length - 1));
    }
    changed.write(content, 0, 6);
    for (int octet : length) {
      changed.write(octet);
    }
    changed.write(content, 7, content.length - 7);
    return changed.toByteArray();
  }

  /** Gives the last record a key of 65,536 bytes. */
  private static byte[] longKey(byte[] content) {
    int last = FileParts.littleEndian(content).getShort(4);
    byte[] changed = Arrays.copyOf(content, last + 3 + 65_536);
    return put(changed, last, 0x80, 0x80, 0x04);
  }

  private void frame(String name, UnaryOperator<byte[]> change) {
    content("frame-" + name, Base.FIXED_FRAMES, content -> framed(change.apply(frame(content))));
  }

  /** The only frame of a block. */
  private static byte[] frame(byte[] content) {
    return Arrays.copyOfRange(content, 2, content.length);
  }

  private static byte[] framed(byte[]... frames) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.writeBytes(new byte[2]);
    for (byte[] frame : frames) {
      content.writeBytes(frame);
    }
    return content.toByteArray();
  }

  private static byte[] compressed(byte[] body, Consumer<ZstdCompressCtx> settings) {
    try (ZstdCompressCtx context = new ZstdCompressCtx()) {
      context.setMagicless(true).setContentSize(false).setChecksum(false).setDictID(false);
      settings.accept(context);
      return context.compress(body);
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private void frames() {
    byte[] body = new byte[36];
    frame("empty", frame -> new byte[0]);
    frame("cut", frame -> Arrays.copyOf(frame, frame.length - 1));
    frame("with-a-byte-behind", frame -> Arrays.copyOf(frame, frame.length + 1));
    frame("twice", frame -> joined(frame, compressed(new byte[0], context -> {})));
    frame("with-content-size", frame -> compressed(body, context -> context.setContentSize(true)));
    frame("with-checksum", frame -> compressed(body, context -> context.setChecksum(true)));
    frame("with-magic", frame -> compressed(body, context -> context.setMagicless(false)));
    frame("no-zstd", frame -> new byte[] {0, 88, 7, 0, 0, 1, 2, 3});
    frame("of-shorter-body", frame -> compressed(new byte[35], context -> {}));
    frame("of-longer-body", frame -> compressed(new byte[37], context -> {}));
    add(
        "frame-longer-than-block-says",
        CORRUPT,
        Base.FIXED_FRAMES,
        table -> table.block(0).putInt(16, 35));
    add(
        "frame-longer-than-file-says",
        CORRUPT,
        Base.FIXED_FRAMES,
        table -> table.section(PROPERTIES).putInt(32, 35));
    add(
        "frames-of-no-records",
        CORRUPT,
        Base.FRAMES,
        table -> table.block(0).putShort(20, (short) 0));
    content("frame-start-0-not-0", Base.FRAMES, content -> put(content, 0, 1));
    content("frame-starts-decrease", Base.FRAMES, content -> put(content, 2, 0xff, 0xff));
  }
}
