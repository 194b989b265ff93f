package io.bsdb.conformance;

import static io.bsdb.conformance.ConformanceDamage.CORRUPT;
import static io.bsdb.conformance.ConformanceDamage.NOT_FOUND;
import static io.bsdb.conformance.ConformanceDamage.UNSUPPORTED;
import static io.bsdb.conformance.ConformanceDamage.ascii;
import static io.bsdb.conformance.ConformanceDamage.deleted;
import static io.bsdb.conformance.ConformanceDamage.flip;

import io.bsdb.conformance.ConformanceDamage.Base;
import io.bsdb.conformance.ConformanceDamage.Case;
import io.bsdb.testkit.TablePieces;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Damaged {@code CURRENT} files and manifests. */
final class ConformanceManifests {
  private final List<Case> cases = new ArrayList<>();

  private ConformanceManifests() {}

  static List<Case> damage() {
    ConformanceManifests damage = new ConformanceManifests();
    damage.current();
    damage.manifest();
    return damage.cases;
  }

  private void add(String name, String fails, Base base, Consumer<TablePieces> change) {
    cases.add(new Case(name, fails, false, base, change));
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

  static String uuid(String text, String name, String start) {
    return text.replaceFirst("(\"" + name + "\" : \").{13}", "$1" + start);
  }

  private static String created(String text, String time) {
    return text.replaceFirst("(\"createdAt\" : \")[^\"]+", "$1" + time);
  }
}
