package io.bsdb.reader.overlay;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Segments that are damaged, or do not match the manifest. */
@ExtendWith(NothingLeftOpen.class)
class DamagedSegmentsTest {
  @TempDir private Path table;

  private void open(SegmentFile file) throws IOException {
    Overlay.open(
            List.of(file),
            each -> table.resolve(each.path()),
            RecordOrder.HASH,
            (key, length, high, segment) -> true,
            ReaderOptions.builder().access(Access.MAPPED).build(),
            Overlay.Before.NOTHING)
        .close();
  }

  @Test
  void aSegmentWithAnotherNumberOfChangesIsRefusedWithItsName() throws IOException {
    Map<String, @Nullable String> changes = new HashMap<>();
    changes.put("a", "1");
    changes.put("b", null);
    SegmentFile file = Segments.write(table, 1, changes);
    SegmentFile swapped =
        new SegmentFile(1, file.fileId(), file.length(), file.checksum(), 0, -1, 2, 0);
    assertThatThrownBy(() -> open(swapped))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage(
            "number of changes in a segment differs from the manifest: file=%s expected=2 puts and 0 deletes actual=1 and 1",
            table.resolve(file.path()));
  }

  @Test
  void aCountOfChangesThatASegmentCannotHoldIsRefusedBeforeAnIndexIsMade() throws IOException {
    SegmentFile file = Segments.write(table, 1, Map.of("a", "1"));
    int deletes = SegmentWriter.MAX_LENGTH;
    SegmentFile more =
        new SegmentFile(1, file.fileId(), file.length(), file.checksum(), 0, -1, 1, deletes);
    assertThatThrownBy(() -> open(more))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage(
            "manifest counts more changes than a segment has bytes: file=%s length=%d actual=1 puts and %d deletes",
            table.resolve(file.path()), file.length(), deletes);
  }

  @Test
  void aDamagedSegmentIsRefusedWithItsName() throws IOException {
    SegmentFile file = Segments.write(table, 1, Map.of("a", "1"));
    Path path = table.resolve(file.path());
    byte[] bytes = Files.readAllBytes(path);
    bytes[bytes.length / 2] ^= 1;
    Files.write(path, bytes);
    assertThatThrownBy(() -> open(file))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(path.toString());
    Files.write(path, new byte[10]);
    assertThatThrownBy(() -> open(file))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("length");
  }
}
