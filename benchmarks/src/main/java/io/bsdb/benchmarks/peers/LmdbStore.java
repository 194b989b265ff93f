package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/**
 * LMDB: a mapped B+ tree, filled in key order. Each thread keeps a read transaction, a cursor and a
 * buffer, which last as long as the process.
 */
record LmdbStore(Dbi<ByteBuffer> table, ThreadLocal<LmdbStore.Session> session) implements Store {
  static final Peer PEER =
      new Peer(
          "lmdb",
          "lmdb",
          "lmdbjava 0.9.3, sorted MDB_APPEND, MDB_NOSYNC then sync; read MDB_RDONLY, MDB_NORDAHEAD,"
              + " MDB_NOLOCK, MDB_NOTLS, checks disabled, one read transaction per thread",
          true,
          0,
          0,
          LmdbStore::build,
          LmdbStore::open);

  private static final int RECORDS_PER_TRANSACTION = 1_000_000;
  private static final int MAX_KEY_LENGTH = 511;
  private static final int MAX_VALUE_LENGTH = 1 << 16;

  /** The state of one thread. */
  record Session(Txn<ByteBuffer> transaction, Cursor<ByteBuffer> cursor, ByteBuffer buffer) {
    ByteBuffer key(byte[] bytes) {
      return buffer.clear().put(bytes).flip();
    }

    void give(Receiver receiver) throws Exception {
      receiver.accept(copy(cursor.key()), copy(cursor.val()));
    }
  }

  private static Store open(RecordFile records, Path directory) {
    Env<ByteBuffer> env =
        env(
            records,
            directory,
            EnvFlags.MDB_RDONLY_ENV,
            EnvFlags.MDB_NORDAHEAD,
            EnvFlags.MDB_NOLOCK,
            EnvFlags.MDB_NOTLS);
    Dbi<ByteBuffer> table = env.openDbi((byte[]) null);
    return new LmdbStore(table, ThreadLocal.withInitial(() -> begin(env, table)));
  }

  private static Session begin(Env<ByteBuffer> env, Dbi<ByteBuffer> table) {
    Txn<ByteBuffer> transaction = env.txnRead();
    ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_KEY_LENGTH);
    return new Session(transaction, table.openCursor(transaction), buffer);
  }

  private static Env<ByteBuffer> env(RecordFile records, Path directory, EnvFlags... flags) {
    long mapBytes = (64L << 20) + records.count() * 256;
    return Env.create().setMapSize(mapBytes).open(directory.toFile(), flags);
  }

  private static void build(RecordFile records, Path directory) throws Exception {
    try (Env<ByteBuffer> env = env(records, directory, EnvFlags.MDB_NOSYNC)) {
      Dbi<ByteBuffer> table = env.openDbi((byte[]) null, DbiFlags.MDB_CREATE);
      ByteBuffer keyBuffer = ByteBuffer.allocateDirect(MAX_KEY_LENGTH);
      ByteBuffer valueBuffer = ByteBuffer.allocateDirect(MAX_VALUE_LENGTH);
      var filled =
          new Object() {
            Txn<ByteBuffer> transaction = env.txnWrite();
            int count;
          };
      records.forEachSorted(
          (key, value) -> {
            if (++filled.count % RECORDS_PER_TRANSACTION == 0) {
              commit(filled.transaction);
              filled.transaction = env.txnWrite();
            }
            table.put(
                filled.transaction,
                keyBuffer.clear().put(key).flip(),
                valueBuffer.clear().put(value).flip(),
                PutFlags.MDB_APPEND);
          });
      commit(filled.transaction);
      env.sync(true);
    }
  }

  private static void commit(Txn<ByteBuffer> transaction) {
    transaction.commit();
    transaction.close();
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    Session own = session.get();
    ByteBuffer found = table.get(own.transaction, own.key(key));
    return found == null ? null : copy(found);
  }

  @Override
  public void floor(byte[] key, Receiver receiver) throws Exception {
    Session own = session.get();
    Cursor<ByteBuffer> at = own.cursor;
    boolean above = at.get(own.key(key), GetOp.MDB_SET_RANGE);
    if (above ? at.key().equals(ByteBuffer.wrap(key)) || at.prev() : at.last()) {
      own.give(receiver);
    }
  }

  @Override
  public void seek(byte[] key, int count, Receiver receiver) throws Exception {
    Session own = session.get();
    boolean found = own.cursor.get(own.key(key), GetOp.MDB_SET_RANGE);
    for (int i = 0; i < count && found; i++) {
      own.give(receiver);
      found = own.cursor.next();
    }
  }
}
