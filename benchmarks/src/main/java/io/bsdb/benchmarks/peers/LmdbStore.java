package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.Txn;

/**
 * LMDB. Each thread keeps a read transaction; in a store that is written it is renewed for each
 * lookup. Floors and seeks, of stores that are not written, use one cursor again and again.
 */
public final class LmdbStore implements Store {
  private static final int MAX_KEY_LENGTH = 511;
  private static final int MAX_VALUE_LENGTH = 1 << 16;

  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> table;
  private final boolean written;
  private final Queue<Session> sessions = new ConcurrentLinkedQueue<>();
  private final ThreadLocal<Session> session = ThreadLocal.withInitial(this::begin);
  private @Nullable Cursor<ByteBuffer> cursor;

  /** The state of one thread. */
  private record Session(Txn<ByteBuffer> transaction, ByteBuffer key, ByteBuffer value) {
    ByteBuffer key(byte[] bytes) {
      return key.clear().put(bytes).flip();
    }
  }

  private LmdbStore(Env<ByteBuffer> env, Dbi<ByteBuffer> table, boolean written) {
    this.env = env;
    this.table = table;
    this.written = written;
  }

  /** Opens what was built. */
  static Store reading(Path directory, long mapBytes) {
    Env<ByteBuffer> env =
        Env.create()
            .setMapSize(mapBytes)
            .open(
                directory.toFile(),
                EnvFlags.MDB_RDONLY_ENV,
                EnvFlags.MDB_NORDAHEAD,
                EnvFlags.MDB_NOLOCK,
                EnvFlags.MDB_NOTLS);
    return new LmdbStore(env, env.openDbi((byte[]) null), false);
  }

  /**
   * Opens a store to be written.
   *
   * @param sync whether puts wait for the disk
   */
  public static Store writing(Path directory, long mapBytes, boolean sync) throws IOException {
    Files.createDirectories(directory);
    EnvFlags[] flags =
        sync
            ? new EnvFlags[] {EnvFlags.MDB_NOTLS}
            : new EnvFlags[] {EnvFlags.MDB_NOTLS, EnvFlags.MDB_NOSYNC};
    Env<ByteBuffer> env = Env.create().setMapSize(mapBytes).open(directory.toFile(), flags);
    return new LmdbStore(env, env.openDbi((byte[]) null, DbiFlags.MDB_CREATE), true);
  }

  private Session begin() {
    Session begun =
        new Session(
            env.txnRead(),
            ByteBuffer.allocateDirect(MAX_KEY_LENGTH),
            ByteBuffer.allocateDirect(MAX_VALUE_LENGTH));
    if (written) {
      begun.transaction.reset();
    }
    sessions.add(begun);
    return begun;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    Session own = session.get();
    if (!written) {
      return find(own, key);
    }
    own.transaction.renew();
    try {
      return find(own, key);
    } finally {
      own.transaction.reset();
    }
  }

  private byte @Nullable [] find(Session own, byte[] key) {
    ByteBuffer found = table.get(own.transaction, own.key(key));
    return found == null ? null : copy(found);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    Session own = session.get();
    try (Txn<ByteBuffer> transaction = env.txnWrite()) {
      table.put(transaction, own.key(key), own.value.clear().put(value).flip());
      transaction.commit();
    }
  }

  private Cursor<ByteBuffer> cursor() {
    if (cursor == null) {
      cursor = table.openCursor(session.get().transaction);
    }
    return cursor;
  }

  @Override
  public void floor(byte[] key, Receiver receiver) throws Exception {
    Cursor<ByteBuffer> at = cursor();
    boolean above = at.get(session.get().key(key), GetOp.MDB_SET_RANGE);
    if (above ? at.key().equals(ByteBuffer.wrap(key)) || at.prev() : at.last()) {
      receiver.accept(copy(at.key()), copy(at.val()));
    }
  }

  @Override
  public void seek(byte[] key, int count, Receiver receiver) throws Exception {
    Cursor<ByteBuffer> at = cursor();
    boolean found = at.get(session.get().key(key), GetOp.MDB_SET_RANGE);
    for (int i = 0; i < count && found; i++) {
      receiver.accept(copy(at.key()), copy(at.val()));
      found = at.next();
    }
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  @Override
  public void close() {
    if (cursor != null) {
      cursor.close();
    }
    sessions.forEach(each -> each.transaction.close());
    env.close();
  }
}
