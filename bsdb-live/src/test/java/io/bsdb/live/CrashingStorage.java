package io.bsdb.live;

import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A log's directory that knows what a power loss could leave of it, and fails on demand. Pages that
 * were written since the last fsync of their file are there or not, each for itself; entries of the
 * directory since its last sync likewise.
 */
final class CrashingStorage implements LogStorage {
  private static final int PAGE = 512;

  /** Called before each operation that changes something; may throw. */
  interface Listener {
    void before(String operation, String name) throws IOException;
  }

  private static final class Content {
    private byte[] written = {};
    private byte[] durable = {};
    private final List<int[]> unsynced = new ArrayList<>();
  }

  private final LogDirectory directory;
  private final Listener listener;
  private final Map<String, Content> names = new TreeMap<>();
  private final Map<String, Content> durableNames = new TreeMap<>();

  CrashingStorage(Path directory, Listener listener) throws IOException {
    this.directory = new LogDirectory(directory);
    this.listener = listener;
    for (String name : this.directory.list()) {
      if (!name.equals("OWNER")) {
        Content content = new Content();
        content.written = Files.readAllBytes(directory.resolve(name));
        content.durable = content.written.clone();
        names.put(name, content);
        durableNames.put(name, content);
      }
    }
  }

  /** Writes what a power loss leaves now, by chance, into another directory. */
  synchronized void crash(Path image, Random random) throws IOException {
    Files.createDirectories(image);
    // Durable before the first segment is made.
    Files.copy(directory.directory().resolve("OWNER"), image.resolve("OWNER"));
    Map<String, Content> left = new HashMap<>(random.nextBoolean() ? names : durableNames);
    for (Map.Entry<String, Content> entry : left.entrySet()) {
      Content content = entry.getValue();
      byte[] bytes = content.durable.clone();
      int chance = random.nextInt(4);
      for (int[] write : content.unsynced) {
        for (int page = write[0] / PAGE; page * PAGE < write[1]; page++) {
          if (chance == 3 || random.nextInt(3) < chance) {
            int from = page * PAGE;
            int to = Math.min(from + PAGE, content.written.length);
            bytes = to > bytes.length ? Arrays.copyOf(bytes, to) : bytes;
            System.arraycopy(content.written, from, bytes, from, to - from);
          }
        }
      }
      Files.write(image.resolve(entry.getKey()), bytes);
    }
  }

  @Override
  public List<String> list() throws IOException {
    return directory.list();
  }

  @Override
  public LogFile open(String name, boolean create) throws IOException {
    if (create) {
      listener.before("create", name);
    }
    LogFile file = directory.open(name, create);
    Content content = content(name);
    return new LogFile() {
      @Override
      public void write(ByteBuffer bytes, long position) throws IOException {
        listener.before("write", name);
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        file.write(bytes, position);
        written(content, copy, (int) position);
      }

      @Override
      public void force() throws IOException {
        listener.before("force", name);
        file.force();
        forced(content);
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  private synchronized Content content(String name) {
    return names.computeIfAbsent(name, absent -> new Content());
  }

  private synchronized void written(Content content, byte[] bytes, int position) {
    int end = position + bytes.length;
    if (end > content.written.length) {
      content.written = Arrays.copyOf(content.written, end);
    }
    System.arraycopy(bytes, 0, content.written, position, bytes.length);
    content.unsynced.add(new int[] {position, end});
  }

  private synchronized void forced(Content content) {
    content.durable = content.written.clone();
    content.unsynced.clear();
  }

  @Override
  public FileMemory map(String name) throws IOException {
    return directory.map(name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    listener.before("rename", from);
    directory.rename(from, to);
    synchronized (this) {
      names.put(to, names.remove(from));
    }
  }

  @Override
  public void delete(String name) throws IOException {
    listener.before("delete", name);
    directory.delete(name);
    synchronized (this) {
      names.remove(name);
    }
  }

  @Override
  public void syncDirectory() throws IOException {
    listener.before("sync", "");
    directory.syncDirectory();
    synchronized (this) {
      durableNames.clear();
      durableNames.putAll(names);
    }
  }

  @Override
  public String path(String name) {
    return directory.path(name);
  }
}
