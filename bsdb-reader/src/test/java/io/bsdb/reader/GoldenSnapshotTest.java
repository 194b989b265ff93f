package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.GoldenSnapshots.Golden;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots that earlier builds of this library wrote, one directory per format version, are read
 * for ever. Those of the version under development are written again with
 *
 * <pre>
 * mvn -pl bsdb-format,bsdb-reader test -Dtest=GoldenSnapshotTest -Dbsdb.golden.write=v1 \
 *     -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
class GoldenSnapshotTest {
  private static final Path COMMITTED = Path.of("src", "test", "resources", "golden");

  @TempDir Path temporary;

  @TestFactory
  Stream<DynamicTest> readsWhatThisBuildWrites() throws IOException {
    Path target = temporary.resolve("target");
    GoldenSnapshots.write(target, temporary.resolve("tables"));
    String version = System.getProperty("bsdb.golden.write");
    if (version != null) {
      GoldenSnapshots.write(COMMITTED.resolve(version), temporary.resolve("again"));
    }
    return tests(target);
  }

  @TestFactory
  Stream<DynamicTest> readsWhatWasCommitted() throws IOException {
    try (Stream<Path> versions = Files.list(COMMITTED)) {
      List<Path> all = versions.toList();
      assertThat(all).contains(COMMITTED.resolve("v1"));
      return all.stream().flatMap(GoldenSnapshotTest::tests);
    }
  }

  private static Stream<DynamicTest> tests(Path directory) {
    return GoldenSnapshots.all().entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    directory.getFileName() + "/" + entry.getKey(),
                    () -> assertReads(directory.resolve(entry.getKey()), entry.getValue())));
  }

  private static void assertReads(Path snapshot, Golden golden) throws IOException {
    Manifest manifest = SnapshotVerifier.verify(snapshot);
    assertThat(manifest.recordCount()).isEqualTo(golden.data().count());
    assertThat(manifest.schema()).isEqualTo(golden.options().schema());
    assertThat(manifest.options()).containsAllEntriesOf(Map.of("layout", layout(golden)));
    for (Access access : Access.values()) {
      ReaderOptions options = ReaderOptions.builder().access(access).build();
      try (SnapshotReader reader = SnapshotReader.open(snapshot, options)) {
        golden.data().assertFoundIn(reader);
        if (golden.storesKeys()) {
          golden.data().assertNothingElseFoundIn(reader);
          golden.data().assertScannedFrom(reader);
        }
      }
    }
  }

  private static String layout(Golden golden) {
    return golden.options().layout().label();
  }
}
