package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.Records;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteOptions;

/** The two ways to fill RocksDB. */
final class RocksDbFill {
  private static final int RECORDS_PER_FILE = 2_000_000;

  private RocksDbFill() {}

  static void put(Options options, Records records, Path directory)
      throws IOException, RocksDBException {
    try (RocksDB database = RocksDB.open(options, directory.toString());
        WriteOptions write = new WriteOptions().setDisableWAL(true);
        FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      records.forEach(
          (key, value) -> {
            try {
              database.put(write, key, value);
            } catch (RocksDBException e) {
              throw new IOException(e);
            }
          });
      database.flush(flush);
      database.compactRange();
    }
  }

  static void ingest(Options options, Records records, Path directory)
      throws IOException, RocksDBException {
    List<String> files = new ArrayList<>();
    try (RocksDB database = RocksDB.open(options, directory.toString());
        IngestExternalFileOptions ingest = new IngestExternalFileOptions().setMoveFiles(true)) {
      try (Sorted sorted = new Sorted(options, directory, files)) {
        records.forEachSorted(sorted::add);
        sorted.finish();
      }
      database.ingestExternalFile(files, ingest);
    }
  }

  /** Writes SST files one after the other. */
  private static final class Sorted implements AutoCloseable {
    private final Options options;
    private final Path directory;
    private final List<String> files;
    private final EnvOptions environment = new EnvOptions();
    private SstFileWriter writer;
    private int count;

    Sorted(Options options, Path directory, List<String> files) throws RocksDBException {
      this.options = options;
      this.directory = directory;
      this.files = files;
      this.writer = next();
    }

    private SstFileWriter next() throws RocksDBException {
      String file = directory.resolve("ingest-" + files.size() + ".sst").toString();
      files.add(file);
      SstFileWriter next = new SstFileWriter(environment, options);
      next.open(file);
      return next;
    }

    void add(byte[] key, byte[] value) throws IOException {
      try {
        if (count == RECORDS_PER_FILE) {
          finish();
          writer.close();
          writer = next();
          count = 0;
        }
        writer.put(key, value);
        count++;
      } catch (RocksDBException e) {
        throw new IOException(e);
      }
    }

    void finish() throws IOException {
      try {
        writer.finish();
      } catch (RocksDBException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void close() {
      writer.close();
      environment.close();
    }
  }
}
