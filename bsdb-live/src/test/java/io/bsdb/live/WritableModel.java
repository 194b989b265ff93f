package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.live.ModelValues.State;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.Table;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.testkit.FaultyStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One round of the model: a writable table, written and used at random by its owner, by others, and
 * after kills, beside a map. After each step all keys are compared, and a follower, a reader and a
 * cursor must have a state that the table was in, never an older one than before. Another follower
 * reads the changes of the log.
 */
final class WritableModel implements Callable<Void> {
  private static final int STEPS = 40;
  private static final int SEGMENT_LENGTH = 1 << 16;

  /** More publications than a version has segments before these are merged. */
  private static final int MANY_PUBLICATIONS = 70;

  private final Path root;
  private final Random random;
  private final Map<String, Long> counts;
  private final ModelValues values;
  private final ModelFollower changes;
  private final WritableOptions options;
  private final List<String> steps = new ArrayList<>();

  /** States since the one that a reader has seen last. */
  private final List<State> states = new ArrayList<>();

  private Path directory;
  private @Nullable WritableTable table;
  private @Nullable TableReader follower;
  private @Nullable RecordCursor held;
  private State heldState = State.EMPTY;
  private int directories;

  WritableModel(Path root, long seed, Map<String, Long> counts) {
    this.root = root;
    this.directory = root.resolve("table0");
    this.random = new Random(seed);
    this.counts = counts;
    this.values = new ModelValues(random);
    this.changes = new ModelFollower(values);
    this.options =
        WritableOptions.defaults()
            .withDurability(random.nextInt(4) == 0 ? Durability.COMMIT : Durability.OS)
            .withMaxChangedKeys(List.of(3, 50, 1_000_000).get(random.nextInt(3)))
            .withMaxChangedFraction(random.nextBoolean() ? 0.1 : Double.POSITIVE_INFINITY)
            .withCompactionBytesPerSecond(1L << 30);
    states.add(State.EMPTY);
  }

  @Override
  public String toString() {
    return steps.toString();
  }

  @Override
  public Void call() throws Exception {
    Files.createDirectories(root);
    try {
      if (random.nextBoolean()) {
        did("build");
        PlainModel plain = new PlainModel(directory, random, values);
        plain.build();
        states.set(0, plain.change(random.nextInt(3)));
      }
      open();
      for (int i = 0; i < STEPS; i++) {
        step();
        check();
      }
    } finally {
      close();
    }
    DirectoryTree.delete(root);
    return null;
  }

  private void did(String step) {
    steps.add(step);
    counts.merge(step, 1L, Long::sum);
  }

  private State state() {
    return states.get(states.size() - 1);
  }

  private void open() throws IOException {
    open(Places.onDisk(SEGMENT_LENGTH, LiveTable.PUBLISHED_SEGMENTS));
  }

  private void open(LiveTable.Place place) throws IOException {
    table = LiveTable.open(directory, options, place);
    follower =
        TableReader.builder(directory)
            .refreshEvery(Duration.ZERO)
            .onMissing(OnMissing.EMPTY)
            .open();
  }

  private void close() throws IOException {
    finishCursor();
    if (follower != null) {
      follower.close();
      follower = null;
    }
    if (table != null) {
      table.close();
      table = null;
    }
  }

  private void step() throws IOException {
    switch (random.nextInt(29)) {
      case 0, 1, 2, 3, 4, 5 -> write(1 + random.nextInt(8));
      case 6 -> write(2 * values.keys());
      case 7, 8 -> batch();
      case 9, 10 -> publish();
      case 11 -> compact();
      case 12, 13 -> openCursor();
      case 14 -> finishCursor();
      case 15 -> reopen();
      case 16, 17 -> kill();
      case 18 -> pause();
      case 19 -> refuseOthers();
      case 20 -> prune();
      case 21 -> copy();
      case 22 -> {
        did("sync");
        table.sync();
      }
      case 23 -> publishOften();
      case 24, 25 -> fail();
      default -> follow();
    }
  }

  private void write(int changes) throws IOException {
    did("write");
    for (int i = 0; i < changes; i++) {
      String key = values.randomKey();
      byte[] bytes = key.getBytes(US_ASCII);
      int value = values.random();
      byte[] before = values.bytes(state().values().get(key));
      boolean changed = true;
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> table.put(bytes, values.bytes(value));
        case 3 -> {
          table.delete(bytes);
          value = ModelValues.ABSENT;
        }
        case 4 -> assertThat(table.compareAndSet(bytes, before, values.bytes(value))).isTrue();
        default -> {
          assertThat(table.compareAndSet(bytes, new byte[] {1}, new byte[0])).isFalse();
          assertThat(table.putIfAbsent(bytes, values.bytes(value))).isEqualTo(before);
          changed = before == null;
        }
      }
      if (changed) {
        changed(state().with(key, value), key, value);
      }
    }
  }

  private void changed(State next, String key, int value) {
    states.add(next);
    changes.wrote(key, value);
  }

  private void batch() throws IOException {
    did("batch");
    WriteBatch batch = new WriteBatch();
    State next = state();
    for (int i = random.nextInt(50); i >= 0; i--) {
      String key = values.randomKey();
      int value = random.nextInt(4) == 0 ? ModelValues.ABSENT : values.random();
      if (value == ModelValues.ABSENT) {
        batch.delete(key.getBytes(US_ASCII));
      } else {
        batch.put(key.getBytes(US_ASCII), values.bytes(value));
      }
      next = next.with(key, value);
      changes.wrote(key, value);
    }
    if (random.nextBoolean()) {
      String position = Integer.toString(random.nextInt());
      batch.position(State.SOURCE, position);
      next = next.at(position);
    }
    table.write(batch);
    states.add(next);
  }

  private void publish() throws IOException {
    did("publish");
    table.publish();
    checkFollower(state());
  }

  private void publishOften() throws IOException {
    if (random.nextInt(4) == 0) {
      did("publish-often");
      for (int i = 0; i < MANY_PUBLICATIONS; i++) {
        String key = values.randomKey();
        table.put(key.getBytes(US_ASCII), values.bytes(1));
        changed(state().with(key, 1), key, 1);
        table.publish();
      }
    }
  }

  private void compact() throws IOException {
    did("compact");
    table.resumeCompaction();
    table.compact();
    checkFollower(state());
    assertThat(table.stats().disk().changeBytes()).isZero();
  }

  private void pause() {
    if (options.maxChangedKeys() > 100_000) { // else writers would wait
      did("pause");
      table.pauseCompaction();
    }
  }

  private void openCursor() throws IOException {
    finishCursor();
    did("cursor");
    held = table.cursor();
    heldState = state();
  }

  private void finishCursor() throws IOException {
    if (held != null) {
      try (RecordCursor cursor = held) {
        held = null;
        assertThat(values.content(cursor)).as("cursor").isEqualTo(heldState.values());
      }
    }
  }

  private void reopen() throws IOException {
    did("reopen");
    close();
    boolean followed = changes.readAll(directory);
    open();
    if (!followed) {
      beginToFollow();
    }
    checkFollower(state());
  }

  private void follow() throws IOException {
    did("follow");
    if (random.nextBoolean()) {
      table.sync();
    }
    if (!changes.read(directory, random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(30))) {
      beginToFollow();
    }
  }

  /** Does what a follower is told to whose position is gone. */
  private void beginToFollow() throws IOException {
    did("follow anew");
    Path copy = nextDirectory();
    changes.begin(table.checkpoint(copy));
    DirectoryTree.delete(copy);
  }

  /** Publishes, folds and closes in a storage that fails once, or from some operation on. */
  private void fail() throws IOException {
    did("fail");
    close();
    AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    boolean stays = random.nextBoolean();
    FaultyStorage.Fault fault =
        (operation, name) -> {
          int rest = left.decrementAndGet();
          if (rest == 0 || (rest < 0 && stays)) {
            throw new IOException("injected: %s %s".formatted(operation, name));
          }
        };
    open(
        new LiveTable.Place(
            log -> CrashingStorage.of(log, fault::before),
            root -> new FaultyStorage(Table.at(root).storage(), fault),
            SEGMENT_LENGTH,
            LiveTable.PUBLISHED_SEGMENTS));
    write(random.nextInt(4));
    left.set(1 + random.nextInt(random.nextBoolean() ? 30 : 100));
    try {
      table.publish();
      if (random.nextBoolean()) {
        table.compact();
      }
    } catch (IOException e) {
      assertThat(e).hasStackTraceContaining("injected");
      counts.merge("failed", 1L, Long::sum);
    }
    try {
      close();
    } catch (IOException e) {
      assertThat(e).hasStackTraceContaining("injected");
      table = null;
      counts.merge("failed to close", 1L, Long::sum);
    }
    open();
  }

  private @Nullable SnapshotReader openReader() throws IOException {
    return Table.at(directory).currentVersion() == null ? null : SnapshotReader.open(directory);
  }

  /** Goes on with the files as a process that is killed now leaves them. */
  private void kill() throws IOException {
    did("kill");
    Path image = nextDirectory();
    Table.at(directory).storage().exclusively(() -> ModelFiles.copy(directory, image));
    moveTo(image);
    open();
  }

  private Path nextDirectory() {
    directories++;
    return root.resolve("table" + directories);
  }

  private void moveTo(Path next) throws IOException {
    close();
    DirectoryTree.delete(directory);
    directory = next;
  }

  /** Goes on with a copy, to which others have access before it is opened. */
  private void copy() throws IOException {
    did("copy");
    Path copy = nextDirectory();
    table.checkpoint(copy);
    PlainModel plain = new PlainModel(copy, random, values);
    plain.begin(state());
    int others = random.nextInt(8);
    steps.add("with " + others + " changes");
    states.add(plain.change(others));
    moveTo(copy);
    changes.begin(LogPosition.START);
    open();
    checkFollower(state());
  }

  private void refuseOthers() throws IOException {
    if (Table.at(directory).currentVersion() != null) {
      did("refuse");
      new PlainModel(directory, random, values).isRefused();
    }
  }

  private void prune() throws IOException {
    did("prune");
    Table.at(directory).prune(1 + random.nextInt(2));
  }

  private void check() throws IOException {
    State expected = state();
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < values.keys(); i++) {
      keys.add(values.key(i).getBytes(US_ASCII));
    }
    List<byte @Nullable []> all = table.getAll(keys);
    for (int i = 0; i < values.keys(); i++) {
      byte[] value = values.bytes(expected.values().get(values.key(i)));
      assertThat(table.get(keys.get(i))).as("get %s", values.key(i)).isEqualTo(value);
      assertThat(all.get(i)).as("getAll %s", values.key(i)).isEqualTo(value);
    }
    assertThat(table.sourcePositions()).isEqualTo(expected.positions());
    assertThat(table.stats().upkeep().failure()).as("upkeep").isNull();
    checkFollower(null);
    try (SnapshotReader reader = openReader()) {
      if (reader != null) {
        see(new State(values.content(reader), reader.manifest().sourcePositions()));
      }
    }
  }

  /**
   * @param expected null for any state since the one seen last
   */
  private void checkFollower(@Nullable State expected) throws IOException {
    follower.refresh();
    State seen = State.EMPTY;
    if (!follower.isEmpty()) {
      try (TableReader.Lease lease = follower.lease()) {
        SnapshotReader reader = lease.reader();
        seen = new State(values.content(reader), reader.manifest().sourcePositions());
      }
    }
    if (expected != null) {
      assertThat(seen).as("follower").isEqualTo(expected);
      states.clear();
      states.add(expected);
    } else {
      see(seen);
    }
  }

  /** Checks that the table was in a state since the one that was seen last. */
  private void see(State seen) {
    int at = states.indexOf(seen);
    if (at < 0) {
      assertThat(seen).as("not a state of the table since the one seen last").isEqualTo(state());
    }
    states.subList(0, at).clear();
  }
}
