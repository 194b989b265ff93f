package io.bsdb.reload;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.Contents;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys that come twice in the input of a reload. */
class ReloadDuplicatesTest extends ReloadFixture {
  @ParameterizedTest
  @EnumSource(names = {"CHANGES", "AUTO"})
  void treatsDuplicatesAsABuildDoes(Publish publish) throws Exception {
    build(WriterOptions.defaults(), rows(10));
    for (String key : List.of("key3", "new")) {
      assertThatThrownBy(() -> twice(publish, Duplicates.FAIL, key))
          .isInstanceOf(DuplicateKeyException.class)
          .hasMessageContaining("duplicate key: '" + key + "'");
      assertThat(Contents.of(table)).isEqualTo(rows(10));
    }
    for (String key : List.of("key3", "new")) {
      twice(publish, Duplicates.FIRST, key);
      assertThat(Contents.of(table)).containsEntry(key, "value3");
      twice(publish, Duplicates.LAST, key);
      assertThat(Contents.of(table))
          .containsEntry(key, "last")
          .hasSize(key.equals("new") ? 11 : 10);
    }
  }

  /**
   * The rows before the decision come from the version and the differences found, in both orders.
   */
  @ParameterizedTest
  @EnumSource(names = {"FIRST", "LAST"})
  void treatsDuplicatesAsABuildDoesAfterGoingOverToABuild(Duplicates duplicates) throws Exception {
    build(WriterOptions.defaults(), rows(40));
    Map<String, String> before = rows(40);
    before.put("key5", "by a delta");
    before.put("key6", "by a delta");
    applyDelta(rows(40), before);
    WriterOptions options = WriterOptions.builder().duplicates(duplicates).build();
    List<String> twice = List.of("key3", "key4", "key5", "key6", "new");
    Map<String, String> expected = rows(40);
    try (TableReload reload = TableReload.begin(table, options, Publish.AUTO)) {
      for (String key : twice) { // the same, changed, both over the base, and new
        boolean same = key.equals("key3") || key.equals("key5");
        String first = same ? before.get(key) : "first";
        reload.add(bytes(key), bytes(first));
        reload.add(bytes(key), bytes("last"));
        expected.put(key, duplicates == Duplicates.LAST ? "last" : first);
      }
      for (int i = 7; i < 40; i++) {
        reload.add(bytes("key" + i), bytes("changed"));
        expected.put("key" + i, "changed");
      }
      for (int i = 0; i < 3; i++) {
        reload.add(bytes("key" + i), bytes("value" + i));
      }
      reload.add(bytes("key0"), bytes("value0"));
      assertThat(manifest(reload.publish()).hasChanges()).isFalse();
    }
    assertThat(Contents.of(table)).isEqualTo(expected);
  }

  private void twice(Publish publish, Duplicates duplicates, String key) throws IOException {
    WriterOptions options = WriterOptions.builder().duplicates(duplicates).build();
    Map<String, String> others = rows(10);
    others.remove(key);
    try (TableReload reload = TableReload.begin(table, options, publish)) {
      reload.add(bytes(key), bytes("value3"));
      addAll(reload, others);
      reload.add(bytes(key), bytes("last"));
      reload.publish();
    }
  }
}
