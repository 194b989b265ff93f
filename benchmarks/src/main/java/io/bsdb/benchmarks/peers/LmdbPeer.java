package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/** LMDB: a mapped B+ tree, filled in key order; a read transaction per thread stays open. */
record LmdbPeer() implements Peer {
  private static final int RECORDS_PER_TRANSACTION = 1_000_000;

  @Override
  public String name() {
    return "lmdb";
  }

  @Override
  public String configuration() {
    return "lmdbjava 0.9.3, sorted MDB_APPEND, MDB_NOSYNC then sync; read MDB_RDONLY,"
        + " MDB_NORDAHEAD, MDB_NOLOCK, MDB_NOTLS, checks disabled, one read transaction per"
        + " thread";
  }

  @Override
  public boolean isOrdered() {
    return true;
  }

  @Override
  public void build(RecordFile records, Path directory) throws Exception {
    try (Env<ByteBuffer> env =
        Env.create().setMapSize(mapBytes(records)).open(directory.toFile(), EnvFlags.MDB_NOSYNC)) {
      Dbi<ByteBuffer> table = env.openDbi((byte[]) null, DbiFlags.MDB_CREATE);
      try (Filler filler = new Filler(env, table)) {
        records.forEachSorted(filler::add);
        filler.commit();
      }
      env.sync(true);
    }
  }

  /** Appends records, so many to a transaction. */
  private static final class Filler implements AutoCloseable {
    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> table;
    private final ByteBuffer keyBuffer = ByteBuffer.allocateDirect(511);
    private final ByteBuffer valueBuffer = ByteBuffer.allocateDirect(1 << 16);
    private Txn<ByteBuffer> transaction;
    private int count;

    Filler(Env<ByteBuffer> env, Dbi<ByteBuffer> table) {
      this.env = env;
      this.table = table;
      this.transaction = env.txnWrite();
    }

    void add(byte[] key, byte[] value) {
      keyBuffer.clear().put(key).flip();
      valueBuffer.clear().put(value).flip();
      table.put(transaction, keyBuffer, valueBuffer, PutFlags.MDB_APPEND);
      if (++count % RECORDS_PER_TRANSACTION == 0) {
        commit();
        transaction = env.txnWrite();
      }
    }

    void commit() {
      transaction.commit();
      transaction.close();
    }

    @Override
    public void close() {
      transaction.close();
    }
  }

  @Override
  public Store open(RecordFile records, Path directory) {
    return LmdbStore.reading(directory, mapBytes(records));
  }

  private static long mapBytes(RecordFile records) {
    return (64L << 20) + records.count() * 256;
  }
}
