package io.bsdb.reader;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.testkit.FileParts;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Two versions of a table with the same keys, and with values of the same lengths, so that nothing
 * but the checksums tells their parts apart.
 *
 * @param data of the newer version
 * @param files of the older version, then of the newer one, by partition
 */
record TwoVersions(Path table, TestData data, List<Manifest> manifests, List<FileParts> files) {
  static final int PARTITIONS = 2;

  /** A way to write tables. */
  record Shape(Layout layout, boolean approximate, boolean dictionary) {
    WriterOptions options() {
      WriterOptions.Builder builder =
          WriterOptions.builder()
              .layout(layout)
              .partitions(PARTITIONS)
              .blockSize(pages() ? 4096 : 1024);
      return (approximate ? builder.approximate() : builder).build();
    }

    private boolean pages() {
      return layout.alignment() > 1;
    }

    TestData data(int version) {
      int count = dictionary ? 1000 : 200;
      TestData sameKeys = TestData.phrases(1, count);
      Random random = new Random(version);
      TestData data = TestData.empty();
      for (int i = 0; i < count; i++) {
        byte[] value = new byte[100]; // cannot be compressed: then blocks have one length
        random.nextBytes(value);
        String phrase = "customer %011d, city: Zurich".formatted(random.nextInt());
        data.add(
            sameKeys.keys().get(i), dictionary ? phrase.getBytes(StandardCharsets.UTF_8) : value);
      }
      return data;
    }
  }

  static TwoVersions publish(Path table, Shape shape) throws IOException {
    List<Manifest> manifests = new ArrayList<>();
    List<FileParts> files = new ArrayList<>();
    TestData data = TestData.empty();
    for (int version = 0; version < 2; version++) {
      data = shape.data(version);
      Manifest manifest = data.publish(table, shape.options());
      for (PartitionFile file : manifest.partitions()) {
        files.add(FileParts.of(directory(table, manifest).resolve(file.name())));
      }
      manifests.add(manifest);
    }
    return new TwoVersions(table, data, manifests, files);
  }

  private static Path directory(Path table, Manifest manifest) {
    return table.resolve("snapshots").resolve(manifest.version());
  }

  Path newerDirectory() {
    return directory(table, manifests.get(1));
  }

  List<FileParts> older() {
    return files.subList(0, PARTITIONS);
  }

  List<FileParts> newer() {
    return files.subList(PARTITIONS, 2 * PARTITIONS);
  }

  /** Lets the newest manifest say of partition 0 what holds of a file, but for name and id. */
  void writeManifest(FileParts actual) throws IOException {
    Manifest manifest = manifests.get(1);
    List<PartitionFile> entries = new ArrayList<>(manifest.partitions());
    PartitionFile own = entries.get(0);
    for (Manifest each : manifests) {
      for (PartitionFile file : each.partitions()) {
        if (file.fileId().equals(actual.header().fileId())) {
          entries.set(
              0,
              new PartitionFile(
                  own.name(),
                  own.fileId(),
                  file.length(),
                  file.checksum(),
                  file.recordCount(),
                  file.keyBytes(),
                  file.valueBytes(),
                  new PartitionFile.Place(0)));
        }
      }
    }
    Manifest patched =
        new Manifest(
            manifest.identity(),
            manifest.schema(),
            manifest.options(),
            entries,
            manifest.properties(),
            manifest.sourcePositions());
    Files.write(newerDirectory().resolve(SnapshotFormat.MANIFEST_FILE), patched.encode());
  }
}
