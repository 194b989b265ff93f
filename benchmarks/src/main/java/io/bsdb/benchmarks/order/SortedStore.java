package io.bsdb.benchmarks.order;

import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.peers.LmdbPeer;
import io.bsdb.benchmarks.peers.RocksDbPeer;
import io.bsdb.benchmarks.peers.RocksDbPeer.Fill;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.Txn;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** A sorted store as one thread reads it. Keys and values are copied into arrays of their own. */
interface SortedStore extends Closeable {
  /** Takes a record. */
  interface Receiver {
    void accept(byte[] key, byte[] value);
  }

  /** Gives the record with the greatest key that is not above a key, if there is one. */
  void floor(byte[] key, Receiver receiver) throws IOException;

  /** Gives so many records from a key on. */
  void seek(byte[] key, int count, Receiver receiver) throws IOException;

  static SortedStore bsdb(SnapshotReader reader) {
    return new Bsdb(reader.ordered());
  }

  static SortedStore treeMap(RecordFile records) throws IOException {
    TreeMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);
    records.forEach(map::put);
    return new Sorted(map);
  }

  /** Opens RocksDB; builds it if there is none. */
  static SortedStore rocksDb(RecordFile records, Path directory) throws IOException {
    RocksDbPeer peer =
        new RocksDbPeer("rocksdb", "rocksdb", Fill.INGEST, CompressionType.NO_COMPRESSION, 0);
    if (!Files.exists(directory)) {
      peer.build(records, Files.createDirectory(directory));
    }
    Options options = peer.options();
    try {
      RocksDB database = RocksDB.openReadOnly(options, directory.toString());
      ReadOptions read = new ReadOptions().setVerifyChecksums(false);
      return new Rocks(options, database, read, database.newIterator(read));
    } catch (RocksDBException e) {
      throw new IOException(e);
    }
  }

  /** Opens LMDB; builds it if there is none. */
  static SortedStore lmdb(RecordFile records, Path directory) throws IOException {
    if (!Files.exists(directory)) {
      new LmdbPeer().build(records, Files.createDirectory(directory));
    }
    Env<ByteBuffer> environment =
        Env.create()
            .setMapSize((64L << 20) + records.workload().records() * 256)
            .open(
                directory.toFile(),
                EnvFlags.MDB_RDONLY_ENV,
                EnvFlags.MDB_NORDAHEAD,
                EnvFlags.MDB_NOLOCK,
                EnvFlags.MDB_NOTLS);
    Dbi<ByteBuffer> table = environment.openDbi((byte[]) null);
    Txn<ByteBuffer> transaction = environment.txnRead();
    return new Lmdb(
        environment, transaction, table.openCursor(transaction), ByteBuffer.allocateDirect(64));
  }

  /** Tables of this library. */
  record Bsdb(OrderedReader reader) implements SortedStore {
    @Override
    public void floor(byte[] key, Receiver receiver) throws IOException {
      KeyValue found = reader.floor(key);
      if (found != null) {
        receiver.accept(found.key(), found.value());
      }
    }

    @Override
    public void seek(byte[] key, int count, Receiver receiver) throws IOException {
      try (RecordCursor cursor = reader.range(KeyRange.all().from(key))) {
        for (int i = 0; i < count && cursor.next(); i++) {
          receiver.accept(cursor.key(), cursor.value());
        }
      }
    }

    @Override
    public void close() {}
  }

  /** A sorted map on the heap. */
  record Sorted(TreeMap<byte[], byte[]> map) implements SortedStore {
    @Override
    public void floor(byte[] key, Receiver receiver) {
      Map.@Nullable Entry<byte[], byte[]> found = map.floorEntry(key);
      if (found != null) {
        receiver.accept(found.getKey().clone(), found.getValue().clone());
      }
    }

    @Override
    public void seek(byte[] key, int count, Receiver receiver) {
      int i = 0;
      for (Map.Entry<byte[], byte[]> entry : map.tailMap(key, true).entrySet()) {
        if (i++ == count) {
          break;
        }
        receiver.accept(entry.getKey().clone(), entry.getValue().clone());
      }
    }

    @Override
    public void close() {}
  }

  /** RocksDB with one iterator that is used again and again. */
  record Rocks(Options options, RocksDB database, ReadOptions read, RocksIterator iterator)
      implements SortedStore {
    @Override
    public void floor(byte[] key, Receiver receiver) {
      iterator.seekForPrev(key);
      if (iterator.isValid()) {
        receiver.accept(iterator.key(), iterator.value());
      }
    }

    @Override
    public void seek(byte[] key, int count, Receiver receiver) {
      iterator.seek(key);
      for (int i = 0; i < count && iterator.isValid(); i++) {
        receiver.accept(iterator.key(), iterator.value());
        iterator.next();
      }
    }

    @Override
    public void close() {
      iterator.close();
      read.close();
      database.close();
      options.close();
    }
  }

  /** LMDB with one cursor that is used again and again. */
  record Lmdb(
      Env<ByteBuffer> environment,
      Txn<ByteBuffer> transaction,
      Cursor<ByteBuffer> cursor,
      ByteBuffer buffer)
      implements SortedStore {
    @Override
    public void floor(byte[] key, Receiver receiver) {
      boolean above = cursor.get(buffer.clear().put(key).flip(), GetOp.MDB_SET_RANGE);
      boolean found =
          above ? cursor.key().equals(ByteBuffer.wrap(key)) || cursor.prev() : cursor.last();
      if (found) {
        give(receiver);
      }
    }

    @Override
    public void seek(byte[] key, int count, Receiver receiver) {
      boolean found = cursor.get(buffer.clear().put(key).flip(), GetOp.MDB_SET_RANGE);
      for (int i = 0; i < count && found; i++) {
        give(receiver);
        found = cursor.next();
      }
    }

    private void give(Receiver receiver) {
      receiver.accept(copy(cursor.key()), copy(cursor.val()));
    }

    private static byte[] copy(ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return copy;
    }

    @Override
    public void close() {
      cursor.close();
      transaction.close();
      environment.close();
    }
  }
}
