package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.RecordFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.Pragma;
import org.sqlite.SQLiteOpenMode;

/** SQLite: a B-tree in one file, filled in key order; a connection per thread stays open. */
public record SqlitePeer() implements Peer {
  private static final String FILE = "table.sqlite";

  @Override
  public String name() {
    return "sqlite";
  }

  @Override
  public String configuration() {
    return "sqlite-jdbc 3.51.0.0, one table WITHOUT ROWID, pages of 4 KiB, inserted in key order"
        + " without journal, then forced to disk; read immutable, mmap_size of the whole file, no"
        + " mutex, one connection and prepared statement per thread";
  }

  @Override
  public void build(RecordFile records, Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.OFF);
    config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
    config.setLockingMode(SQLiteConfig.LockingMode.EXCLUSIVE);
    config.setPageSize(4096);
    try (Connection connection = config.createConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE records (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID");
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO records VALUES (?, ?)")) {
        records.forEachSorted((key, value) -> insert(insert, key, value));
      }
      connection.commit();
    } catch (SQLException e) {
      throw new IOException(e);
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  private static void insert(PreparedStatement insert, byte[] key, byte[] value)
      throws IOException {
    try {
      insert.setBytes(1, key);
      insert.setBytes(2, value);
      insert.executeUpdate();
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  @Override
  public Store open(RecordFile records, Path directory) throws IOException {
    Path file = directory.resolve(FILE).toAbsolutePath();
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setOpenMode(SQLiteOpenMode.NOMUTEX);
    config.setPragma(Pragma.MMAP_SIZE, Long.toString(file.toFile().length()));
    return new Open(config, "jdbc:sqlite:file:" + file + "?immutable=1");
  }

  /** The state of one thread. */
  private record Reader(Connection connection, PreparedStatement select) {
    static Reader open(SQLiteConfig config, String url) {
      try {
        Connection connection = config.createConnection(url);
        return new Reader(
            connection, connection.prepareStatement("SELECT v FROM records WHERE k = ?"));
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static final class Open implements Store {
    private final Queue<Reader> all = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Reader> readers;

    Open(SQLiteConfig config, String url) {
      this.readers =
          ThreadLocal.withInitial(
              () -> {
                Reader reader = Reader.open(config, url);
                all.add(reader);
                return reader;
              });
    }

    @Override
    public byte @Nullable [] get(byte[] key) throws IOException {
      PreparedStatement select = readers.get().select();
      try {
        select.setBytes(1, key);
        try (ResultSet found = select.executeQuery()) {
          return found.next() ? found.getBytes(1) : null;
        }
      } catch (SQLException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      try {
        for (Reader reader : all) {
          reader.select().close();
          reader.connection().close();
        }
      } catch (SQLException e) {
        throw new IOException(e);
      }
    }
  }
}
