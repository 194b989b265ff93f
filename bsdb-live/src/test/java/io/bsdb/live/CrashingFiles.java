package io.bsdb.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Tracks which content of some directories is durable, and writes what a power loss could leave of
 * them. Each page written since the last fsync of its file survives or not, independently; entries
 * created or removed since the last sync of their directory survive all or none.
 */
final class CrashingFiles {
  private static final int PAGE = 512;

  /** A file or a directory. */
  static final class Content {
    private final boolean directory;
    private byte[] written = {};
    private byte[] durable = {};
    private final List<int[]> unsynced = new ArrayList<>();
    private boolean cut;

    private Content(boolean directory) {
      this.directory = directory;
    }
  }

  private final NavigableMap<String, Content> names = new TreeMap<>();
  private final NavigableMap<String, Content> durableNames = new TreeMap<>();

  /** Begins with what is there, all of it durable. */
  CrashingFiles(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.filter(each -> !each.equals(root)).toList()) {
        String name = root.relativize(path).toString();
        Content content = new Content(Files.isDirectory(path));
        if (!content.directory) {
          content.written = Files.readAllBytes(path);
          content.durable = content.written.clone();
        }
        if (!path.endsWith("OWNER")) { // it is written past this
          names.put(name, content);
        }
      }
    }
    durableNames.putAll(names);
  }

  private static String parent(String name) {
    return name.substring(0, Math.max(0, name.lastIndexOf('/')));
  }

  /** Returns a file; there is one then, and the directories in which it lies. */
  synchronized Content file(String name) {
    for (String directory = parent(name); !directory.isEmpty(); directory = parent(directory)) {
      names.computeIfAbsent(directory, absent -> new Content(true));
      if (parent(directory).isEmpty()) {
        durableNames.put(directory, names.get(directory)); // as directories in the root are
      }
    }
    return names.computeIfAbsent(name, absent -> new Content(false));
  }

  synchronized void written(Content content, byte[] bytes, int position) {
    int end = position + bytes.length;
    if (end > content.written.length) {
      content.written = Arrays.copyOf(content.written, end);
    }
    System.arraycopy(bytes, 0, content.written, position, bytes.length);
    content.unsynced.add(new int[] {position, end});
  }

  /** Cuts a file; a power loss may undo that until it is forced. */
  synchronized void truncated(Content content, int length) {
    content.written = Arrays.copyOf(content.written, length);
    content.cut = true;
  }

  /** A file has a second name. */
  synchronized void linked(String from, String to) {
    file(to);
    names.put(to, names.getOrDefault(from, new Content(false)));
  }

  synchronized void appended(Content content, byte[] bytes) {
    written(content, bytes, content.written.length);
  }

  synchronized void forced(Content content) {
    content.durable = content.written.clone();
    content.unsynced.clear();
    content.cut = false;
  }

  /** Another file, durable itself, now has this name. */
  synchronized void replaced(String name, byte[] bytes) {
    names.remove(name);
    Content content = file(name);
    written(content, bytes, 0);
    forced(content);
  }

  synchronized void renamed(String from, String to) {
    names.put(to, Objects.requireNonNull(names.remove(from)));
  }

  synchronized void deleted(String name) {
    names.remove(name);
    names.subMap(name + "/", name + "0").clear();
  }

  synchronized void synced(String directory) {
    durableNames.keySet().removeIf(name -> parent(name).equals(directory));
    names.forEach(
        (name, content) -> {
          if (parent(name).equals(directory)) {
            durableNames.put(name, content);
          }
        });
  }

  /** Writes what a power loss leaves now, by chance, into another directory. */
  synchronized void crash(Path image, Random random) throws IOException {
    Files.createDirectories(image);
    TreeSet<String> all = new TreeSet<>(names.keySet());
    all.addAll(durableNames.keySet());
    TreeSet<String> left = new TreeSet<>(List.of(""));
    Map<String, Map<String, Content>> entries = new TreeMap<>();
    for (String name : all) {
      String parent = parent(name);
      Map<String, Content> present =
          entries.computeIfAbsent(parent, directory -> random.nextBoolean() ? names : durableNames);
      Content content = present.get(name);
      if (content != null && left.contains(parent)) {
        left.add(name);
        write(content, image.resolve(name), random);
      }
    }
  }

  private static void write(Content content, Path file, Random random) throws IOException {
    if (content.directory) {
      Files.createDirectories(file);
      return;
    }
    byte[] bytes = content.durable.clone();
    if (content.cut && random.nextBoolean()) {
      bytes = Arrays.copyOf(bytes, content.written.length);
    }
    int chance = random.nextInt(4);
    for (int[] write : content.unsynced) {
      for (int page = write[0] / PAGE; page * PAGE < write[1]; page++) {
        if (chance == 3 || random.nextInt(3) < chance) {
          int from = page * PAGE;
          int to = Math.min(from + PAGE, content.written.length);
          if (to <= from) {
            continue; // cut off since
          }
          bytes = to > bytes.length ? Arrays.copyOf(bytes, to) : bytes;
          System.arraycopy(content.written, from, bytes, from, to - from);
        }
      }
    }
    Files.write(file, bytes);
  }
}
