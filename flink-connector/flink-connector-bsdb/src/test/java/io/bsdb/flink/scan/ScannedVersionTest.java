package io.bsdb.flink.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.TestLookup;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.IntType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScannedVersionTest {
  @TempDir Path directory;
  @TempDir Path copies;

  @Test
  void closesAVersionThatTheDdlDoesNotMatch() throws Exception {
    Records.of("a", "a").publish(directory, WriterOptions.defaults());
    DeclaredTable table = TestLookup.table(directory, new IntType());
    ReadSettings settings = TestLookup.settings(Access.MAPPED, Duration.ZERO, null);
    ScanSpec spec = new ScanSpec(table, settings, Projection.all(table), new Extent.AllRows());
    String version = Table.at(directory).requireCurrentVersion();
    long open = FileMemory.openCount();

    assertThatThrownBy(() -> ScannedVersion.open(spec, new ScanSplit(version, 0, 0), copies))
        .isInstanceOf(ValidationException.class);

    assertThat(FileMemory.openCount()).isEqualTo(open);
    assertThat(OpenReaders.count()).isZero();
  }
}
