package io.bsdb.conformance;

import io.bsdb.conformance.ConformanceDamage.Base;
import io.bsdb.conformance.ConformanceDamage.Case;
import io.bsdb.format.SectionKind;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.TablePieces;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The tables of {@code conformance/bad} whose records are encoded with symbol tables. */
final class ConformanceSymbols {
  private static final String CORRUPT = "corrupt";
  private static final int SHAPE = 8;
  private static final int FIRST_TABLE = 11;

  private final List<Case> cases = new ArrayList<>();

  private ConformanceSymbols() {}

  private static Base base(String name) {
    return new Base(
        name,
        Records.phrases(7, 40),
        WriterOptions.builder().layout(Layout.SYMBOLS).partitions(1).build());
  }

  private void add(String name, Consumer<TablePieces> change) {
    cases.add(new Case("symbols-" + name, CORRUPT, false, base("symbols"), change));
  }

  private void section(String name, Consumer<ByteBuffer> change) {
    add(name, table -> change.accept(table.section(SectionKind.SYMBOLS)));
  }

  static List<Case> damage() {
    ConformanceSymbols symbols = new ConformanceSymbols();
    symbols.sections();
    symbols.records();
    return symbols.cases;
  }

  private void sections() {
    add("missing", table -> table.sections.remove(SectionKind.SYMBOLS.id()));
    add("too-short", table -> table.resize(SectionKind.SYMBOLS, -1));
    add("too-long", table -> table.resize(SectionKind.SYMBOLS, 1));
    add(
        "cut",
        table -> table.resize(SectionKind.SYMBOLS, 7 - table.section(SectionKind.SYMBOLS).limit()));
    section("reserved", section -> section.put(0, (byte) 1));
    section("table-of-keys", section -> section.putShort(4, (short) 9));
    section("table-count", section -> section.putShort(6, (short) 9));
    section("table-count-65535", section -> section.putShort(6, (short) -1));
    section("shape-unknown", section -> section.put(SHAPE, (byte) 3));
    section("table-of-values", section -> section.putShort(SHAPE + 1, (short) 9));
    section("row-without-fields", section -> section.put(SHAPE, (byte) 1));
    section("symbol-of-0-bytes", section -> section.put(FIRST_TABLE + 2, (byte) 0));
    section("symbol-of-9-bytes", section -> section.put(FIRST_TABLE + 2, (byte) 9));
    section("too-many", section -> section.put(FIRST_TABLE + 1, (byte) 255));
  }

  private void content(String name, int... end) {
    add(
        name,
        table -> {
          byte[] content = table.content(0);
          for (int i = 0; i < end.length; i++) {
            content[content.length - end.length + i] = (byte) end[i];
          }
          table.content(0, content);
        });
  }

  /** The last record ends with the value, which is longer than what is written over it. */
  private void records() {
    content("escape-at-the-end", 0xfe, 1, 'x', 0xff);
    content("raw-at-the-end", 0xfe, 1, 'x', 0xfe);
    content("raw-beyond-the-end", 0xfe, 1, 'x', 0xfe, 9, 'x');
    content("code-of-none", 0xfe, 1, 'x', 0xfd);
    add("longer-than-stated", table -> table.section(SectionKind.PROPERTIES).putInt(32, 50));
  }
}
